// The document of `transpica run --json`: outputs of every vertex, or of every emitted vertex of a
// geometry program, as numbers.

/** Registers of one vertex by their names. */
export type Outputs = Record<string, number[]>;

const scratch = new DataView(new ArrayBuffer(4));

/** The number whose bits a text like 0x3f800000 has. */
export function fromBits(bits: string): number {
  scratch.setUint32(0, Number(bits));
  return scratch.getFloat32(0);
}

/** Finds each object `outputs` of the document, in its order. */
export function outputs(document: unknown): Outputs[] {
  const found: Outputs[] = [];
  const waiting: unknown[] = [document];
  while (waiting.length > 0) {
    const value = waiting.shift();
    if (typeof value !== "object" || value === null) continue;
    const registers = (value as { outputs?: unknown }).outputs;
    if (typeof registers === "object" && registers !== null && !Array.isArray(registers)) {
      const rows = Object.entries(registers as Record<string, string[]>).filter(([, bits]) => Array.isArray(bits));
      found.push(Object.fromEntries(rows.map(([name, bits]) => [name, bits.map(fromBits)])));
    } else {
      waiting.unshift(...Object.values(value));
    }
  }
  return found;
}
