use super::*;
use transpica::geometry::{Dependence, GeometryInput, Topology};
use transpica::{Error, Kind};

/// Fixed mode, three vertices a primitive.
fn request() -> Request<'static> {
    Request {
        input: GeometryInput::Fixed { first: 4, vertices: 3, stride: 2 },
        outputs: 0b11,
        vertices: 300,
        indices: None,
        window: 0,
        vectors: 2,
        topology: Topology::Geometry,
        dependence: Dependence::None,
        triangles: 5,
        most_invocations: u32::MAX,
        bytes: 1 << 27,
    }
}

fn plan(request: &Request<'_>) -> Plan {
    Plan::new(request).expect("a plan")
}

fn variable(indices: &[u32]) -> Request<'_> {
    Request { input: GeometryInput::Variable { main: 2 }, indices: Some(indices), vertices: 9, ..request() }
}

#[test]
fn programs_without_carried_state_have_a_thread_for_each_invocation() {
    let Draw { threads, invocations, chunk, warm, window, capacity, respects_winding, .. } =
        plan(&request()).draw;
    assert_eq!((threads, invocations, chunk, warm), (100, 100, 1, 0));
    assert_eq!((window, capacity, respects_winding), (6, 5, 1));
    let input = GeometryInput::Fixed { first: 0, vertices: 1, stride: 1 };
    let many = Request { input, outputs: 1, triangles: 1, vectors: 1, bytes: u32::MAX, ..request() };
    assert_eq!(plan(&Request { vertices: 1 << 20, ..many }).draw.threads, 1 << 20);
    let more = Request { vertices: (1 << 20) + 1, ..many };
    assert!(refused(&more).contains("invocations of a draw"));
    let more = plan(&Request { dependence: Dependence::Depth(1), vertices: 1 << 23, ..more });
    assert_eq!((more.draw.chunk, more.draw.threads), (16, 1 << 19));
}

#[test]
fn carried_state_of_bounded_depth_makes_chunks_with_warm_up() {
    let draw = plan(&Request { dependence: Dependence::Depth(1), ..request() }).draw;
    assert_eq!((draw.chunk, draw.warm, draw.threads, draw.capacity), (16, 1, 7, 80));
    let draw = plan(&Request { dependence: Dependence::Depth(3), ..request() }).draw;
    assert_eq!((draw.chunk, draw.warm, draw.threads), (24, 3, 5));
    let draw = plan(&Request { dependence: Dependence::Depth(u32::MAX), ..request() }).draw;
    assert_eq!((draw.threads, draw.capacity), (1, 500));
}

#[test]
fn unbounded_carried_state_makes_one_thread() {
    let draw = plan(&Request { dependence: Dependence::Unbounded, ..request() }).draw;
    assert_eq!((draw.threads, draw.chunk, draw.warm, draw.capacity), (1, 100, 0, 500));
}

#[test]
fn unbounded_carried_state_is_split_at_the_limit_of_a_thread() {
    let split = |most_invocations| {
        plan(&Request { dependence: Dependence::Unbounded, most_invocations, ..request() })
    };
    let all = split(100);
    assert_eq!((all.is_split, all.draws().len(), all.draws().next()), (false, 1, Some(all.draw)));
    for (most, threads) in [(99, 2), (40, 3), (1, 100), (0, 100)] {
        let plan = split(most);
        assert_eq!((plan.is_split, plan.draw.threads), (true, threads));
        assert_eq!((plan.kernel_dispatch(), plan.draws().len()), ([1, 1, 1], threads as usize));
        // The invocations of each begin where those of the one before end.
        let mut next = 0;
        for (number, draw) in (0..).zip(plan.draws()) {
            assert_eq!((draw.first_thread, draw.threads), (number, number + 1));
            let first = draw.first_thread * draw.chunk;
            let empty = draw.threads * draw.chunk - draw.invocations;
            assert_eq!(first.saturating_sub(empty), next);
            assert!(draw.invocations - next <= most.max(1));
            next = draw.invocations;
        }
        assert_eq!(next, 100);
        assert!(plan.sizes.counts >= u64::from(threads) * 4);
    }
}

#[test]
fn chunks_do_not_exceed_the_limit_of_a_thread() {
    let chunk = |depth, most_invocations| {
        let plan = plan(&Request { dependence: Dependence::Depth(depth), most_invocations, ..request() });
        assert!(!plan.is_split);
        (plan.draw.chunk, plan.draw.warm)
    };
    assert_eq!(chunk(1, 16), (15, 1));
    assert_eq!(chunk(3, 8), (5, 3));
    // Limits below the warm-up invocations and one are too small.
    assert_eq!(chunk(3, 1), (1, 3));
}

#[test]
fn an_empty_draw_has_no_threads() {
    for dependence in [Dependence::None, Dependence::Depth(2), Dependence::Unbounded] {
        let plan = plan(&Request { vertices: 2, dependence, ..request() });
        assert_eq!((plan.draw.threads, plan.draw.invocations), (0, 0));
        assert_eq!(plan.kernel_dispatch(), [0, 1, 1]);
        assert_eq!(plan.sizes.list, 16);
        // The uniforms that two vertices fill.
        assert_eq!((plan.feed.records, plan.feed_copy), (1, Some(FeedCopy { from: 0, to: 64, bytes: 96 })));
    }
}

#[test]
fn each_primitive_has_the_index_of_the_nearest_larger_one() {
    let indices = [3, 0, 1, 2, 2, 0, 1, 4, 0, 1, 2, 3, 2, 5, 6, 3, 7, 8, 0];
    let plan = plan(&variable(&indices));
    let vectors: Vec<u32> = plan.primitives.iter().map(|primitive| primitive[2]).collect();
    assert_eq!(vectors, [6, 5, 7, 5, 6, 0]);
    let larger: Vec<u32> = plan.primitives.iter().map(|primitive| primitive[3]).collect();
    assert_eq!(larger, [0, 0, 2, 2, 2, 4]);
    assert_eq!((plan.draw.window, plan.draw.invocations, plan.feed.records), (7, 5, 6));
    assert_eq!(
        super::plan::Plan::new(&Request { window: 20, ..variable(&indices) }).map(|plan| plan.draw.window),
        Ok(20)
    );
}

#[test]
fn strips_and_fans_need_room_for_a_list() {
    let list = plan(&request());
    assert_eq!((list.sizes.list, list.sizes.triangles), (100 * 5 * 3 * 2 * 16, 100 * 5 * 3 * 2 * 16));
    let strip = plan(&Request { topology: Topology::Strip, ..request() });
    assert_eq!((strip.draw.respects_winding, strip.collect.topology), (0, 1));
    assert_eq!(strip.sizes.list, (100 * 5 * 3 - 2) * 3 * 2 * 16);
    assert_eq!(plan(&Request { topology: Topology::Fan, ..request() }).collect.topology, 2);
}

fn refused(request: &Request<'_>) -> String {
    Plan::new(request).expect_err("refused").to_string()
}

#[test]
fn the_plan_refuses_the_configurations_that_the_pipeline_refuses() {
    let text = |indices: &[u32]| refused(&variable(indices));
    assert!(text(&[1, 0]).contains("indices[0]: a primitive of 1 vertices, the main ones alone are 2"));
    assert!(text(&[2, 0, 1, 94]).contains("indices[3]: a primitive of 94 vertices needs 97 uniforms of 96"));
    assert!(
        text(&[2, 0, 1, 3, 1]).contains("indices[3]: a primitive of 3 vertices, the indices end before it")
    );
    assert!(text(&[2, 0, 9]).contains("indices[2] is 9, but there are 9 vertices"));
    assert!(refused(&Request { indices: None, ..variable(&[]) }).contains("need indices"));
    assert!(refused(&Request { outputs: 0, ..request() }).contains("passes on no output"));
    assert!(refused(&Request { indices: Some(&[299, 300]), ..request() }).contains("indices[1] is 300"));
}

#[test]
fn buffers_beyond_the_limit_are_refused() {
    let name = |request: &Request<'_>| match Plan::new(request) {
        Err(Error { kind: Kind::Limit { name, .. }, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(&Request { bytes: 300 * 256 - 1, ..request() }), "bytes of vertices");
    let indices = [0; 2000];
    assert_eq!(
        name(&Request { indices: Some(&indices), vertices: 1, bytes: 7999, ..request() }),
        "bytes of indices"
    );
    assert_eq!(
        name(&Request { indices: Some(&indices), vertices: 1, bytes: 8000, ..request() }),
        "bytes of the feed"
    );
    assert_eq!(
        name(&Request { vectors: 900, triangles: 1, bytes: 1 << 22, ..request() }),
        "bytes of triangles"
    );
    // Room for two triangles instead of five.
    assert_eq!(plan(&Request { vectors: 8, bytes: 100 * 2 * 3 * 8 * 16, ..request() }).draw.capacity, 2);
    let most = Request {
        triangles: u32::MAX,
        vertices: 1 << 20,
        dependence: Dependence::Unbounded,
        bytes: u32::MAX,
        ..request()
    };
    assert!(plan(&most).sizes.triangles <= u64::from(u32::MAX));
}

#[test]
fn large_dispatches_use_the_second_dimension() {
    assert_eq!(Pass::groups(0), [0, 0, 1]);
    assert_eq!(Pass::groups(257), [2, 1, 1]);
    assert_eq!(Pass::groups(1 << 21), [8192, 1, 1]);
    assert_eq!(Pass::groups((1 << 21) + 1), [8192, 2, 1]);
    // The passes say the same.
    for pass in [Pass::Feed, Pass::Compact] {
        assert!(pass.wgsl().contains(&format!("id.y * {}u", Pass::ROW * Pass::WORKGROUP)));
        assert!(pass.wgsl().contains(&format!("@workgroup_size({})", Pass::WORKGROUP)));
    }
}
