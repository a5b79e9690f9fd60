//! Functions that expressions call, in C and in Rust. `@` begins the name of one.
//! In: a text. Out: the functions that it calls. Semantics: `source/math.rs`.

/// Name, C and Rust; what a function calls comes before it.
const HELPERS: &[[&str; 3]] = &[
    [
        "set",
        "static inline void @set(float *c, float x, float y, float z, float w) {
    c[0] = x;
    c[1] = y;
    c[2] = z;
    c[3] = w;
}
",
        "",
    ],
    [
        "rounds",
        "// The first number of an i register.
static inline uint8_t @rounds(int64_t rounds) {
    return (uint8_t)(rounds < 1 ? 0 : rounds > 256 ? 255 : rounds - 1);
}
",
        "/// The first number of an i register.
fn @rounds(rounds: i64) -> u8 {
    (rounds.clamp(1, 256) - 1) as u8
}
",
    ],
    [
        "to_int",
        "// Conversion that saturates; 0 for NaN.
static inline int32_t @to_int(float x) {
    if (!(x > -2147483648.0f)) return x != x ? 0 : INT32_MIN;
    return x >= 2147483648.0f ? INT32_MAX : (int32_t)x;
}
",
        "",
    ],
    [
        "to_uint",
        "// Conversion that saturates; 0 for NaN.
static inline uint32_t @to_uint(float x) {
    if (!(x > 0.0f)) return 0;
    return x >= 4294967296.0f ? UINT32_MAX : (uint32_t)x;
}
",
        "",
    ],
    [
        "smoothstep",
        "static inline float @smoothstep(float low, float high, float x) {
    const float t = fminf(fmaxf((x - low) / (high - low), 0.0f), 1.0f);
    return t * t * (3.0f - 2.0f * t);
}
",
        "fn @smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = f32::min(f32::max((x - low) / (high - low), 0.0), 1.0);
    t * t * (3.0 - 2.0 * t)
}
",
    ],
    [
        "dot",
        "static inline float @dot(const float *a, const float *b, int lanes) {
    float sum = a[0] * b[0];
    for (int lane = 1; lane < lanes; lane++) sum += a[lane] * b[lane];
    return sum;
}
",
        "fn @dot(a: &[f32], b: &[f32]) -> f32 {
    let mut terms = a.iter().zip(b).map(|(a, b)| a * b);
    let first = terms.next().unwrap_or(0.0);
    terms.fold(first, |sum, term| sum + term)
}
",
    ],
    [
        "distance",
        "static inline float @distance(const float *a, const float *b, int lanes) {
    float sum = (a[0] - b[0]) * (a[0] - b[0]);
    for (int lane = 1; lane < lanes; lane++) sum += (a[lane] - b[lane]) * (a[lane] - b[lane]);
    return sqrtf(sum);
}
",
        "fn @distance<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    let difference: [f32; N] = core::array::from_fn(|lane| a[lane] - b[lane]);
    f32::sqrt(@dot(&difference, &difference))
}
",
    ],
    [
        "normalize",
        "static inline void @normalize(const float *a, int lanes, float *out) {
    const float length = sqrtf(@dot(a, a, lanes));
    for (int lane = 0; lane < lanes; lane++) out[lane] = a[lane] / length;
}
",
        "fn @normalize<const N: usize>(a: &[f32; N]) -> [f32; N] {
    let length = f32::sqrt(@dot(a, a));
    a.map(|lane| lane / length)
}
",
    ],
    [
        "reflect",
        "static inline void @reflect(const float *i, const float *n, int lanes, float *out) {
    const float twice = 2.0f * @dot(n, i, lanes);
    for (int lane = 0; lane < lanes; lane++) out[lane] = i[lane] - twice * n[lane];
}
",
        "fn @reflect<const N: usize>(i: &[f32; N], n: &[f32; N]) -> [f32; N] {
    let twice = 2.0 * @dot(n, i);
    core::array::from_fn(|lane| i[lane] - twice * n[lane])
}
",
    ],
    [
        "refract",
        "static inline void @refract(const float *i, const float *n, float ratio, int lanes, float *out) {
    const float cosine = @dot(n, i, lanes);
    const float k = 1.0f - ratio * ratio * (1.0f - cosine * cosine);
    const float factor = ratio * cosine + sqrtf(fmaxf(k, 0.0f));
    for (int lane = 0; lane < lanes; lane++) {
        out[lane] = k < 0.0f ? 0.0f : ratio * i[lane] - factor * n[lane];
    }
}
",
        "fn @refract<const N: usize>(i: &[f32; N], n: &[f32; N], ratio: f32) -> [f32; N] {
    let cosine = @dot(n, i);
    let k = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
    let factor = ratio * cosine + f32::sqrt(f32::max(k, 0.0));
    core::array::from_fn(|lane| if k < 0.0 { 0.0 } else { ratio * i[lane] - factor * n[lane] })
}
",
    ],
    [
        "multiply",
        "// Product of matrices, column after column.
static inline void @multiply(const float *a, const float *b, int rows, int inner, int columns, float *out) {
    for (int lane = 0; lane < rows * columns; lane++) {
        const int row = lane % rows, column = lane / rows;
        float sum = a[row] * b[column * inner];
        for (int k = 1; k < inner; k++) sum += a[k * rows + row] * b[column * inner + k];
        out[lane] = sum;
    }
}
",
        "/// Product of matrices, column after column.
fn @multiply<const N: usize>(a: &[f32], b: &[f32], rows: usize) -> [f32; N] {
    let inner = a.len() / rows;
    core::array::from_fn(|lane| {
        let (row, column) = (lane % rows, lane / rows);
        let term = |k: usize| a[k * rows + row] * b[column * inner + k];
        (1..inner).fold(term(0), |sum, k| sum + term(k))
    })
}
",
    ],
];

/// The functions of matrices of 2, 3 and 4 rows.
const MATRICES: [&str; 6] =
    ["determinant2", "determinant3", "determinant4", "inverse2", "inverse3", "inverse4"];

/// Names of all helpers.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    HELPERS.iter().map(|[name, ..]| *name).chain(MATRICES)
}

/// Returns the helpers that a text calls.
pub(super) fn used(text: &str, language: usize) -> String {
    let mut out = String::new();
    let matrices =
        MATRICES.iter().zip([2, 3, 4].into_iter().cycle()).enumerate().map(|(index, (name, size))| {
            (*name, if index < 3 { determinant(size, language) } else { inverse(size, language) })
        });
    let table = HELPERS.iter().map(|helper| (helper[0], helper[1 + language].to_owned()));
    let all: Vec<(&str, String)> = table.chain(matrices).collect();
    for (name, own) in all.iter().rev() {
        let call = format!("@{name}(");
        if text.contains(&call) || out.contains(&call) {
            out.insert_str(0, &format!("\n{own}"));
        }
    }
    out
}

/// Name of the argument with an element of a matrix.
fn letter(element: usize) -> String {
    ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"][element & 15].to_owned()
}

/// The determinant of a matrix without a column and a row, as an expression of its elements.
fn minor(size: usize, column: usize, row: usize, element: &dyn Fn(usize) -> String) -> String {
    let is_left = |index: &usize| index / size != column && index % size != row;
    let elements: Vec<String> = (0..size * size).filter(is_left).map(element).collect();
    match size {
        2 => elements.concat(),
        _more => format!("@determinant{}({})", size - 1, elements.join(", ")),
    }
}

/// The determinant by the first column. The sum begins with 0, which decides the sign of zeros.
fn determinant(size: usize, language: usize) -> String {
    let terms = (0..size).map(|row| {
        let sign = if row % 2 == 0 { '+' } else { '-' };
        format!("\n        {sign} {} * {}", letter(row), minor(size, 0, row, &letter))
    });
    let sum: String = terms.collect();
    let parameter = |element: usize| match language {
        0 => format!("float {}", letter(element)),
        _rust => format!("{}: f32", letter(element)),
    };
    let column =
        |column: usize| (0..size).map(|row| parameter(column * size + row)).collect::<Vec<_>>().join(", ");
    let columns = (0..size).map(column).collect::<Vec<_>>().join(",\n    ");
    match language {
        0 => format!(
            "// Determinant of columns.\nstatic inline float @determinant{size}(\n    {columns}\n) {{\n    \
             return 0.0f{sum};\n}}\n"
        ),
        _rust => format!(
            "/// Determinant of columns.\n#[allow(clippy::too_many_arguments)]\nfn @determinant{size}(\n    \
             {columns}\n) -> f32 {{\n    0.0{sum}\n}}\n"
        ),
    }
}

/// The inverse by the adjugate.
fn inverse(size: usize, language: usize) -> String {
    let element = |index: usize| format!("a[{index}]");
    let elements: Vec<String> = (0..size * size).map(element).collect();
    let whole = format!("@determinant{size}({})", elements.join(", "));
    let lanes = (0..size * size).map(|lane| {
        let (column, row) = (lane / size, lane % size);
        let sign = if (column + row) % 2 == 0 { "" } else { "-" };
        // The adjugate is transposed.
        (lane, format!("{sign}scale * {}", minor(size, row, column, &element)))
    });
    match language {
        0 => {
            let lanes: String = lanes.map(|(lane, value)| format!("    out[{lane}] = {value};\n")).collect();
            format!(
                "static inline void @inverse{size}(const float *a, float *out) {{\n    const float scale = 1.0f / {whole};\n{lanes}}}\n"
            )
        }
        _rust => {
            let lanes: String = lanes.map(|(_, value)| format!("        {value},\n")).collect();
            let count = size * size;
            format!(
                "fn @inverse{size}(a: &[f32; {count}]) -> [f32; {count}] {{\n    let scale = 1.0 / {whole};\n    [\n{lanes}    ]\n}}\n"
            )
        }
    }
}
