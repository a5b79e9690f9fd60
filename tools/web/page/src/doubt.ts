// Files of the reader: whether one looks like a program, before it takes the place of another one;
// the sources of a program as one text; what a folder holds.

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

/** The sources of a program as one file, each below a line with its name, in the order of linking. */
async function joined(stem: string, files: File[]): Promise<File> {
  const [only, ...more] = files;
  if (only && more.length === 0) return only;
  const sorted = files.sort((a, b) => (a.name < b.name ? 1 : -1));
  const texts = await Promise.all(sorted.map(async (file) => `; file: ${file.name}\n${(await file.text()).trimEnd()}\n`));
  return new File(texts, `${stem}.pica`);
}

/** Opens files: the sources of a program as one text, then its values and mesh. */
export async function openFiles(files: File[], open: (file: File) => Promise<void>): Promise<void> {
  const stemOf = ({ name }: File) => /^([^.]+)\.(.+\.)?pica$/i.exec(name)?.[1];
  const others = files.filter((file) => stemOf(file) === undefined);
  const programs = new Set(files.flatMap((file) => stemOf(file) ?? []));
  const openProgram = async (stem: string) => {
    await open(await joined(stem, files.filter((file) => stemOf(file) === stem)));
    const isOwn = ({ name }: File) => programs.size === 1 || name.startsWith(`${stem}.`);
    for (const file of others.filter(isOwn)) if (/\.(json|obj)$/i.test(file.name)) await open(file);
  };
  const [first, ...rest] = programs;
  if (first === undefined) for (const file of others) await open(file);
  else if (rest.length === 0) await openProgram(first);
  else (await import("./dialogs")).choose("Several programs", [first, ...rest], (stem) => void openProgram(stem));
}

/** Files of a program that a folder may have. */
const OF_FOLDERS = /\.(pica|shbin|obj|state\.json)$/i;

/** Returns the files of something that was dropped, of a folder those that the page can open. */
export async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inside: FileSystemEntry[] = [];
  // A reader gives at most 100 at a time.
  for (let more = true; more; ) {
    const read = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    more = read.length > 0;
    inside.push(...read);
  }
  const files = inside.filter(({ isFile, name }) => isFile && OF_FOLDERS.test(name));
  return (await Promise.all(files.map(filesOf))).flat();
}
