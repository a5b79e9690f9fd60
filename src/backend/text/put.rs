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

impl Piece for str {
    #[inline]
    fn put(&self, out: &mut String) {
        out.push_str(self);
    }
}

impl Piece for String {
    #[inline]
    fn put(&self, out: &mut String) {
        out.push_str(self);
    }
}

impl Piece for u32 {
    /// Appends its digits.
    fn put(&self, out: &mut String) {
        // Most are short.
        let mut power = 1;
        while self / power >= 10 {
            power *= 10;
        }
        while power > 0 {
            out.push(char::from(b'0' + (self / power % 10) as u8)); // Range: below 10.
            power /= 10;
        }
    }
}

impl Piece for i32 {
    #[inline]
    fn put(&self, out: &mut String) {
        out.push_str(if *self < 0 { "-" } else { "" });
        self.unsigned_abs().put(out);
    }
}

impl Piece for u16 {
    #[inline]
    fn put(&self, out: &mut String) {
        u32::from(*self).put(out);
    }
}

impl Piece for u8 {
    #[inline]
    fn put(&self, out: &mut String) {
        u32::from(*self).put(out);
    }
}

impl<T: Piece + ?Sized> Piece for &T {
    #[inline]
    fn put(&self, out: &mut String) {
        T::put(self, out);
    }
}
