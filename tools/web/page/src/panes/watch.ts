// A mesh, drawn by the program: on WebGPU where there is an adapter, and on the CPU by the engine.
// Both pictures side by side, or where they differ.

import { CallError } from "../client";
import type { DrawRequest, GpuDraw, Picked, Problem } from "../contract";
import { button, field, finite, h } from "../dom";
import { Gpu } from "../gpu";
import { difference, type Pixels, reach, show, transparent } from "../pixels";
import type { GpuFrame } from "../worker";
import type { Context, Pane } from "./pane";

type Mode = "gpu" | "cpu" | "difference";

/** Pictures of the same request, and how many of their pixels differ. */
export interface Comparison {
  cpu: Pixels;
  gpu: Pixels;
  different: number;
  covered: number;
}

/** The view of `transpica draw`, a little turned. */
const HOME = { yaw: 0.6, pitch: 0.5, distance: 2.8 };
/** Share of the way from the middle to a border that a picture takes up. */
const FULL = 0.85;
/** Radians a second that the mesh turns by while the time runs. */
const TURN = 0.4;
/** Milliseconds without a change after which the picture follows. */
const PAUSE = 300;
/** Pictures of an animation, which turns once, and milliseconds of each. */
const [FRAMES, FRAME] = [36, 80];

/** View and time of a picture, for a link. */
export interface Look {
  yaw: number;
  pitch: number;
  distance: number;
  time: number;
  by: string;
  wires?: boolean;
}

export class WatchPane implements Pane {
  readonly id = "watch";
  readonly title = "Watch";
  readonly element: HTMLElement;
  private gpu: Gpu | undefined;
  private camera = { ...HOME };
  /** Factor of the distance from which a picture fills the pane, and the program, mesh and size that it is for. */
  private fit = 1;
  private fitted = "";
  private time = 0;
  private last = 0;
  isPlaying = false;
  private isDrawing = false;
  /** A frame was wanted while one was drawn. */
  private isStale = false;
  private isWanted = false;
  private mode: Mode = "cpu";
  /** The output that the reader wants to see, also after a program that lacks it. */
  private wished = "color";
  /** Called after a frame, whose view and time the engine then knows. */
  onFrame: () => Promise<void> = async () => {};
  /** Called with the origin of a triangle that was clicked. */
  onPick: (picked: Picked) => Promise<void> = async () => {};
  private readonly canvas = h("canvas", { width: 400, height: 300 });
  private readonly stage = h(
    "div",
    {
      class: "stage",
      tabindex: 0,
      role: "application",
      "aria-label": "Picture of the mesh. Arrow keys orbit, plus and minus zoom, 0 resets, Enter steps the triangle in the middle.",
    },
    this.canvas,
  );
  private readonly note = h("p", { class: "note", role: "status" });
  private readonly figures = h("span", { class: "muted figures" });
  private readonly modes = (["gpu", "cpu", "difference"] as const).map((mode) =>
    h(
      "button",
      { type: "button", "aria-pressed": "false", "data-mode": mode, onclick: () => this.choose(mode) },
      mode === "difference" ? "Difference" : mode.toUpperCase(),
    ),
  );
  private readonly mesh = h("select", { onchange: () => void this.setMesh(this.mesh.value) });
  private readonly by = h("select", {
    onchange: () => {
      this.wished = this.by.value;
      this.want();
    },
  });
  private readonly wire = h("input", { type: "checkbox", onchange: () => this.want() });
  private readonly clock = h("input", {
    type: "number",
    step: 0.1,
    value: 0,
    "aria-label": "Time in seconds",
    onchange: () => {
      this.time = finite(this.clock, String(this.time));
      this.want();
    },
  });
  private readonly play = button("Play", "Let the time run (Alt+P)", () => this.toggle());

  constructor(private readonly context: Context) {
    const file = h("input", {
      type: "file",
      accept: ".obj",
      class: "hidden-file",
      tabindex: -1,
      "aria-label": "Mesh file",
      onchange: async () => {
        const chosen = file.files?.[0];
        if (chosen) await this.setMesh(await chosen.text());
      },
    });
    this.element = h(
      "div",
      { class: "watch" },
      h(
        "div",
        { class: "bar" },
        this.play,
        field("Time, s", this.clock),
        field("Color by", this.by),
        field("Mesh", this.mesh),
        button("Open mesh…", "An .obj file", () => file.click()),
        file,
        h("label", { class: "field" }, this.wire, h("span", {}, "Edges only")),
        h("span", { class: "field" }, h("span", {}, "Drawn by")),
        h("span", { class: "segments", role: "group", "aria-label": "Drawn by" }, ...this.modes),
      ),
      this.stage,
      h("div", { class: "foot" }, this.note, this.figures),
    );
    this.listen();
    new ResizeObserver(() => this.want()).observe(this.stage);
  }

  /** Asks for an adapter; the CPU draws where there is none. */
  async open(): Promise<void> {
    const opened = await Gpu.open();
    if (typeof opened === "string") this.say((this.reason = `${opened}: the CPU draws.`));
    else this.gpu = opened;
    for (const choice of this.modes) choice.disabled = !this.gpu && choice.dataset["mode"] !== "cpu";
    this.choose(this.gpu ? "gpu" : "cpu");
  }

  /**
   * Refreshes when typing pauses: a picture takes longer than texts, and must not delay the next
   * key.
   */
  later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh().catch((error) => this.fail(error)), PAUSE);
  }

  private timer: ReturnType<typeof setTimeout> | undefined;

  async refresh(): Promise<void> {
    const { client, mesh } = this.context.session;
    const [meshes, shows] = await Promise.all([client.json<string[]>("meshes"), client.json<string[]>("shows")]);
    refill(this.mesh, meshes, mesh || "lathe");
    refill(this.by, shows, this.wished);
    this.isPaused = false;
    if (!this.context.session.opened?.programs.length) this.canvas.width = this.canvas.height = 1;
    await this.frame();
  }

  /** Starts or stops the time. */
  toggle(): void {
    this.isPlaying = !this.isPlaying;
    this.play.textContent = this.isPlaying ? "Pause" : "Play";
    this.last = performance.now();
    if (this.isPlaying) this.want();
  }

  /** Draws the same request on both and compares the pixels. */
  async compare(width = 400, height = 300): Promise<Comparison | undefined> {
    if (!this.gpu) return undefined;
    const request = this.sized(width, height);
    const [cpu, gpu] = [await this.onCpu(request), await this.onGpu(request)];
    const { different, covered } = difference(cpu, gpu);
    return { cpu, gpu, different, covered };
  }

  /** View and time, for a link. */
  get look(): Look {
    // The requested output, even if this program lacks it; the next may not.
    return { ...this.camera, time: this.time, by: this.wished, wires: this.wire.checked };
  }

  set look({ yaw, pitch, distance, time, by, wires }: Look) {
    this.camera = { yaw, pitch, distance };
    this.time = time;
    this.clock.value = String(time);
    this.wire.checked = wires === true;
    if (by) this.wished = by;
    if ([...this.by.options].some(({ value }) => value === by)) this.by.value = by;
    this.want();
  }

  /** The picture as a file, on a clear background. */
  async png(): Promise<Blob> {
    const request = this.request();
    const { png } = await import("../png");
    return png([await this.drawn(request)], request.width, request.height);
  }

  /** One turn of the mesh as a file, while the time runs. */
  async animation(progress: (share: number) => void, width = 400, height = 300): Promise<Blob> {
    const { png } = await import("../png");
    const start = this.sized(width, height);
    const pictures: Pixels[] = [];
    for (let frame = 0; frame < FRAMES; frame++) {
      const [yaw, time] = [start.yaw + (2 * Math.PI * frame) / FRAMES, start.time + (frame * FRAME) / 1000];
      pictures.push(await this.drawn({ ...start, yaw, time }));
      progress((frame + 1) / FRAMES);
    }
    this.want();
    return png(pictures, width, height, FRAME);
  }

  /** Draws into a buffer instead of the canvas, on a clear background. */
  private async drawn(request: DrawRequest): Promise<Pixels> {
    // One picture at a time: the buffers belong to the last one.
    while (this.isDrawing) await new Promise((resolve) => setTimeout(resolve));
    this.isDrawing = true;
    try {
      return transparent((await this.pixels(request)).slice());
    } finally {
      this.isDrawing = false;
    }
  }

  /**
   * Nothing is drawn before the texts of the first program, and after a failure until it changes.
   */
  private isPaused = true;

  private choose(mode: Mode): void {
    this.mode = mode;
    for (const choice of this.modes) choice.setAttribute("aria-pressed", String(choice.dataset["mode"] === mode));
    this.want();
  }

  private async setMesh(mesh: string): Promise<void> {
    await this.context.session.setMesh(mesh);
    this.want();
  }

  /** What the next picture shows. */
  request(): DrawRequest {
    const ratio = Math.min(2, devicePixelRatio);
    const width = Math.max(16, Math.min(1024, Math.round(this.stage.clientWidth * ratio)));
    const height = Math.max(16, Math.min(1024, Math.round(this.stage.clientHeight * ratio)));
    const distance = this.camera.distance * this.fit;
    const { time, by, wire } = this;
    return { width, height, ...this.camera, distance, time, by: by.value, wireframe: wire.checked };
  }

  /** A picture of the same view that is not fitted to the pane. */
  sized(width: number, height: number): DrawRequest {
    return { ...this.request(), distance: this.camera.distance, width, height };
  }

  /** Asks for a frame; several wishes before the next one are one. */
  want(): void {
    if (this.isWanted) return;
    this.isWanted = true;
    requestAnimationFrame((now) => {
      this.isWanted = false;
      if (this.isPlaying) {
        const seconds = Math.max(0, Math.min(0.1, (now - this.last) / 1000));
        this.time += seconds;
        if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.camera.yaw += seconds * TURN;
        if (document.activeElement !== this.clock) this.clock.value = this.time.toFixed(2);
      }
      this.last = now;
      void this.frame();
    });
  }

  private async frame(): Promise<void> {
    if (this.isDrawing) {
      this.isStale = true;
      return;
    }
    if (
      this.isPaused ||
      this.stage.clientWidth === 0 ||
      !this.context.session.opened?.programs.length
    )
      return;
    this.isDrawing = true;
    this.isStale = false;
    const start = performance.now();
    try {
      await this.measure();
      const request = this.request();
      const pixels = transparent(await this.pixels(request));
      show(this.canvas, pixels, request.width, request.height);
      this.figures.textContent = this.counted;
      this.context.times.set("last picture", performance.now() - start);
      this.say(this.reason);
      await this.onFrame();
    } catch (error) {
      this.fail(error);
    } finally {
      this.isDrawing = false;
    }
    if (this.isPlaying || this.isStale) this.want();
  }

  /** Finds the distance from which the picture of a program and mesh fills the pane. */
  private async measure(): Promise<void> {
    const { program, opened, mesh } = this.context.session;
    // From home, whatever the view: who follows a link finds the same.
    const request = { ...this.request(), ...HOME, time: 0, wireframe: false };
    const key = `${program} ${opened?.selected} ${mesh} ${request.width} ${request.height}`;
    if (key === this.fitted) return;
    const share = reach(transparent(await this.pixels(request)), request.width);
    this.fit = share > 0 && share < FULL ? share / FULL : 1;
    this.fitted = key;
  }

  private counted = "";
  /** Why the CPU draws. */
  private reason = "";

  private say(text: string, isError = false): void {
    if (this.note.textContent !== text) this.note.textContent = text;
    this.note.classList.toggle("is-error", isError);
  }

  private fail(error: unknown): void {
    if (error instanceof CallError && error.lost === "before") return;
    const text = error instanceof Error ? error.message : String(error);
    this.say(text, true);
    // No frame follows until something changes, so that a slow program does not stop the engine
    // again and again.
    this.isPaused = true;
    if (this.isPlaying) this.toggle();
  }

  private async pixels(request: DrawRequest): Promise<Pixels> {
    this.counted = "";
    if (this.mode === "cpu" || !this.gpu) return this.onCpu(request);
    this.reason = "";
    let gpu: Pixels;
    try {
      gpu = await this.onGpu(request);
    } catch (error) {
      if (error instanceof CallError && error.lost) throw error;
      this.reason = `${error instanceof Error ? error.message : error}: the CPU draws.`;
      if (this.gpu.lost) this.gpu = undefined;
      return this.onCpu(request);
    }
    if (this.mode === "gpu") return gpu;
    const { picture, different } = difference(await this.onCpu(request), gpu);
    this.counted = `${different} pixels differ between CPU and GPU`;
    return picture;
  }

  private async onCpu(request: DrawRequest): Promise<Pixels> {
    const { pixels, problem } = (await this.context.session.client.call("picture", JSON.stringify(request))) as {
      pixels: Uint8Array<ArrayBuffer>;
      problem: Problem | null;
    };
    if (pixels.length !== request.width * request.height * 4)
      throw new Error(problem?.message ?? "the program cannot be drawn");
    return new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.length);
  }

  private async onGpu(request: DrawRequest): Promise<Pixels> {
    const frame = (await this.context.session.client.call("gpuFrame", JSON.stringify(request))) as GpuFrame;
    if ("error" in frame.draw) throw new Error(frame.draw.error.message);
    if (!this.gpu) throw new Error("the GPU was lost");
    return this.gpu.draw(frame as { draw: GpuDraw; contents: Uint8Array[] }, request.width, request.height);
  }

  /** Finds the triangle at a place of the window. */
  private async pick(x: number, y: number): Promise<void> {
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    const request = this.request();
    const [column, row] = [((x - left) / width) * request.width, ((y - top) / height) * request.height];
    await this.onPick(await this.context.session.client.json<Picked>("pick", JSON.stringify(request), column, row));
  }

  private listen(): void {
    const { stage } = this;
    const turn = (yaw: number, pitch: number) => {
      this.camera.yaw += yaw;
      this.camera.pitch = Math.max(-1.5, Math.min(1.5, this.camera.pitch + pitch));
      this.changed();
    };
    const zoom = (factor: number) => {
      this.camera.distance = Math.max(0.5, Math.min(20, this.camera.distance * factor));
      this.changed();
    };
    const pointers = new Map<number, PointerEvent>();
    const spread = () => {
      const [one, two] = [...pointers.values()];
      return one && two ? Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY) : 0;
    };
    stage.addEventListener("pointerdown", (event) => {
      stage.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
    });
    stage.addEventListener("pointermove", (event) => {
      const [old, before] = [pointers.get(event.pointerId), spread()];
      if (!old) return;
      pointers.set(event.pointerId, event);
      if (before > 0) zoom(before / spread());
      else turn((event.clientX - old.clientX) * 0.01, (event.clientY - old.clientY) * 0.01);
    });
    let start = { x: 0, y: 0 };
    const pick = (x: number, y: number) => void this.pick(x, y).catch((error: Error) => this.say(error.message, true));
    stage.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => (start = { x, y }));
    stage.addEventListener("click", ({ clientX: x, clientY: y }) => {
      if (Math.hypot(x - start.x, y - start.y) < 4) pick(x, y);
    });
    for (const end of ["pointerup", "pointercancel"] as const)
      stage.addEventListener(end, (event) => pointers.delete(event.pointerId));
    stage.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        zoom(Math.exp(event.deltaY * 0.001));
      },
      { passive: false },
    );
    const middle = () => {
      const { left, top, width, height } = stage.getBoundingClientRect();
      return pick(left + width / 2, top + height / 2);
    };
    const keys: Record<string, () => void> = {
      Enter: middle,
      ArrowLeft: () => turn(-0.1, 0),
      ArrowRight: () => turn(0.1, 0),
      ArrowUp: () => turn(0, -0.1),
      ArrowDown: () => turn(0, 0.1),
      "+": () => zoom(0.9),
      "-": () => zoom(1.1),
      "0": () => {
        this.camera = { ...HOME };
        this.changed();
      },
    };
    stage.addEventListener("keydown", (event) => {
      const act = event.altKey || event.ctrlKey || event.metaKey ? undefined : keys[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
  }

  private changed(): void {
    this.isPaused = false;
    this.want();
  }
}

function refill(select: HTMLSelectElement, values: string[], chosen: string): void {
  if ([...select.options].map(({ value }) => value).join() !== values.join()) {
    select.replaceChildren(...values.map((value) => h("option", { value }, value)));
  }
  if (values.includes(chosen)) select.value = chosen;
}
