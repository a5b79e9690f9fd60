// Whether a file looks like a program, before it takes the place of another one.

/** Endings of picasso text. */
const SOURCES = /\.(pica|vsh|gsh|asm|s)$/i;
/** A line that only assembler text has. */
const DIRECTIVE = /^\s*\.(alias|bool|constf|consti|constfa|else|end|entry|fvec|gsh|in|ivec|nodvle|out|proc|setb|setf|seti)\b/m;
/** Code words as text. */
const WORDS = /^(\s|,|:|descriptors|(0x)?[0-9a-f]{8})+$/i;
/** Bytes that are looked at as text. */
const HEAD = 1 << 16;
/** Bytes up to which a file without shaders counts as code words. */
const MOST_WORDS = 4 * 4096;

/** Returns why a file does not look like a program, or an empty text if it does. */
export function doubt(name: string, bytes: Uint8Array): string {
  if (SOURCES.test(name) || bytes.length === 0) return "";
  const text = new TextDecoder().decode(bytes.subarray(0, HEAD));
  if (text.includes("DVLB")) return "";
  if (bytes.subarray(0, HEAD).every((byte) => byte >= 32 || (byte >= 9 && byte <= 13)))
    return DIRECTIVE.test(text) || WORDS.test(text) ? "" : "It is text without one directive of an assembler.";
  if (bytes.length > MOST_WORDS || bytes.length % 4 !== 0) return "";
  return "It has no header of a shader file. Opened anyway, bytes without a shader inside count as code words.";
}
