//! Compression, greedy.

/// The longest earlier copy of what follows a place, as distance and length.
fn longest(bytes: &[u8], at: usize, window: usize, most: usize) -> (usize, usize) {
    let mut best = (0, 0);
    for start in at.saturating_sub(window)..at {
        let same = bytes[start..].iter().zip(&bytes[at..]).take(most).take_while(|(a, b)| a == b).count();
        if same > best.1 {
            best = (at - start, same);
        }
    }
    best
}

/// Packs bytes; `copy` writes one of at least `least` bytes.
fn pack(
    bytes: &[u8],
    header: Vec<u8>,
    (least, most): (usize, usize),
    literal: u8,
    copy: impl Fn(&mut Vec<u8>, usize, usize),
) -> Vec<u8> {
    let mut out = header;
    let mut at = 0;
    while at < bytes.len() {
        let flags = out.len();
        out.push(0);
        for bit in (0..8).rev() {
            if at == bytes.len() {
                break;
            }
            // A small window keeps tests fast.
            let (distance, length) = longest(bytes, at, 512, most);
            let is_literal = length < least;
            out[flags] |= if is_literal == (literal == 1) { 1 << bit } else { 0 };
            if is_literal {
                out.push(bytes[at]);
                at += 1;
            } else {
                copy(&mut out, distance - 1, length);
                at += length;
            }
        }
    }
    out
}

fn size_with(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let size = u32::try_from(bytes.len()).expect("small");
    (size << 8 | u32::from(kind)).to_le_bytes().to_vec()
}

/// LZ10.
pub fn lz10(bytes: &[u8]) -> Vec<u8> {
    pack(bytes, size_with(0x10, bytes), (3, 18), 0, |out, distance, length| {
        out.push(((length - 3) << 4 | distance >> 8) as u8);
        out.push(distance as u8);
    })
}

/// LZ11, with all three forms of copies.
pub fn lz11(bytes: &[u8]) -> Vec<u8> {
    pack(bytes, size_with(0x11, bytes), (3, 0x1_0110), 0, |out, distance, length| {
        let word = match length {
            0..=0x10 => {
                out.push(((length - 1) << 4 | distance >> 8) as u8);
                out.push(distance as u8);
                return;
            }
            0x11..=0x110 => (length - 0x11) << 12,
            _long => {
                out.push((0x10 | (length - 0x111) >> 12) as u8);
                let word = ((length - 0x111) & 0xFFF) << 12 | distance;
                out.extend_from_slice(&(word as u32).to_be_bytes()[1..]);
                return;
            }
        };
        out.extend_from_slice(&((word | distance) as u32).to_be_bytes()[1..]);
    })
}

/// Yaz0, with both forms of copies.
pub fn yaz0(bytes: &[u8]) -> Vec<u8> {
    let mut header = b"Yaz0".to_vec();
    header.extend_from_slice(&u32::try_from(bytes.len()).expect("small").to_be_bytes());
    header.resize(16, 0);
    pack(bytes, header, (3, 0x111), 1, |out, distance, length| {
        if length < 0x12 {
            out.extend_from_slice(&(((length - 2) << 12 | distance) as u16).to_be_bytes());
        } else {
            out.extend_from_slice(&(distance as u16).to_be_bytes());
            out.push((length - 0x12) as u8);
        }
    })
}

/// Backward LZ; the first `bare` bytes are left as they are.
pub fn backward(bytes: &[u8], bare: usize) -> Vec<u8> {
    // Backwards, a copy is from later bytes, at least three away.
    let reversed: Vec<u8> = bytes[bare..].iter().rev().copied().collect();
    let (mut packed, mut at) = (Vec::new(), 0);
    while at < reversed.len() {
        let flags = packed.len();
        packed.push(0);
        for bit in (0..8).rev() {
            if at == reversed.len() {
                break;
            }
            let (distance, length) = longest(&reversed, at, 512, 18);
            if length < 3 || distance < 3 {
                packed.push(reversed[at]);
                at += 1;
                continue;
            }
            packed[flags] |= 1 << bit;
            packed.extend_from_slice(&((((length - 3) << 12) | (distance - 3)) as u16).to_be_bytes());
            at += length;
        }
    }
    packed.reverse();
    let mut out = bytes[..bare].to_vec();
    out.extend_from_slice(&packed);
    let padding = out.len().next_multiple_of(4) - out.len();
    out.resize(out.len() + padding, 0xFF);
    let header = 8 + padding;
    let length = out.len() + 8;
    let added = bytes.len().checked_sub(length).expect("data that can be compressed");
    let compressed = packed.len() + header;
    out.extend_from_slice(&((header << 24 | compressed) as u32).to_le_bytes());
    out.extend_from_slice(&(added as u32).to_le_bytes());
    out
}
