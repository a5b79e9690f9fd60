//! Texts from pieces.
//! In: pieces. Out: text at the end of a string. Knows no language.

/// Appends pieces to a text. (`fmt` takes several times as long.)
macro_rules! put {
    ($out:expr, $($piece:expr),+ $(,)?) => {{
        let out: &mut String = $out;
        $($crate::backend::text::put::Piece::put(&$piece, out);)+
    }};
}
pub(super) use put;

/// A piece of a text.
pub trait Piece {
    /// Appends it.
    fn put(&self, out: &mut String);
}

macro_rules! pieces {
    ($($ty:ty: $put:expr;)*) => {
        $(impl Piece for $ty {
            #[inline]
            fn put(&self, out: &mut String) {
                $put(out, self);
            }
        })*
    };
}

pieces! {
    str: String::push_str;
    String: |out: &mut String, text: &str| out.push_str(text);
    u32: |out, &number| digits(out, number);
    u16: |out, &number| digits(out, u32::from(number));
    u8: |out, &number| digits(out, u32::from(number));
    i32: |out, &number: &i32| put!(out, if number < 0 { "-" } else { "" }, number.unsigned_abs());
}

impl<T: Piece + ?Sized> Piece for &T {
    #[inline]
    fn put(&self, out: &mut String) {
        T::put(self, out);
    }
}

/// Appends the digits of a number, of which there are ten at most.
fn digits(out: &mut String, number: u32) {
    if number >= 10 {
        digits(out, number / 10);
    }
    out.push(char::from(b'0' + (number % 10) as u8)); // Range: below 10.
}
