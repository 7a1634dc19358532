// The tar archives of packed charts. What helm reads is read here first and written again, so that helm cannot read the
// same bytes differently. Only files: links, devices and others are empty files for helm, too
// (pkg/chart/loader/archive.go). docs/why/decisions.md says why this is not a package.

export interface TarFile {
  readonly name: string;
  readonly bytes: Buffer;
}

const BLOCK = 512;

/** The files of an archive, in order; undefined if it is invalid. */
export function readTar(archive: Buffer): readonly TarFile[] | undefined {
  const files: TarFile[] = [];
  let longName: string | undefined;
  let pax: ReadonlyMap<string, string> = new Map();
  for (let offset = 0; offset + BLOCK <= archive.length;) {
    const header = archive.subarray(offset, offset + BLOCK);
    if (header.every((byte) => byte === 0)) return files;
    if (!hasItsChecksum(header)) return undefined;
    const type = String.fromCharCode(header[156] ?? 0);
    const size = Number(pax.get("size") ?? numberAt(header, 124, 12));
    offset += BLOCK;
    if (!Number.isSafeInteger(size) || size < 0 || size > archive.length - offset) return undefined;
    const bytes = archive.subarray(offset, offset + size);
    offset += Math.ceil(size / BLOCK) * BLOCK;
    if (type === "x") pax = paxRecords(bytes);
    else if (type === "L") longName = textOf(bytes);
    else if (type !== "g" && type !== "K") {
      const name = pax.get("path") ?? longName ?? nameOf(header);
      if (type !== "5" && !name.endsWith("/")) files.push({ name, bytes: isContent(type) ? bytes : Buffer.alloc(0) });
      pax = new Map();
      longName = undefined;
    }
  }
  return files;
}

export function writeTar(files: readonly TarFile[]): Buffer {
  const blocks = files.flatMap(({ name, bytes }) => {
    const isLong = Buffer.byteLength(name) > 100;
    return [
      ...(isLong ? blocksOf("x", "path", paxRecord("path", name)) : []),
      ...blocksOf("0", isLong ? "long" : name, bytes),
    ];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function blocksOf(type: string, name: string, bytes: Buffer): Buffer[] {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, "utf8");
  header.write("0000644\x000000000\x000000000\x00", 100, "latin1");
  header.write(`${bytes.length.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  header.write("00000000000\0", 136, "latin1");
  header.write(type, 156, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  header.write(`${sumOf(header).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
}

/** A record of a pax header: its own length in bytes (with the digits of the length), then key and value. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length !== String(rest).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`, "utf8");
}

function paxRecords(bytes: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let offset = 0; offset < bytes.length;) {
    const [digits] = /^\d{1,9}(?= )/u.exec(bytes.toString("latin1", offset, offset + 10)) ?? [];
    const length = Number(digits ?? 0);
    if (length === 0) break;
    const record = bytes.toString("utf8", offset + String(digits).length + 1, offset + length - 1);
    const end = record.indexOf("=");
    if (end > 0) records.set(record.slice(0, end), record.slice(end + 1));
    offset += length;
  }
  return records;
}

/** Whether an entry is a file; old archives have other types for it. */
function isContent(type: string): boolean {
  return type === "0" || type === "\0" || type === "7";
}

function nameOf(header: Buffer): string {
  const name = textOf(header.subarray(0, 100));
  const isPosix = header.toString("latin1", 257, 263) === "ustar\0";
  const prefix = isPosix ? textOf(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end === -1 ? bytes.length : end);
}

/** A number in octal digits; NaN if it is invalid. */
function numberAt(header: Buffer, at: number, length: number): number {
  const text = header
    .toString("latin1", at, at + length)
    .replace(/[\0 ]+$/u, "")
    .trim();
  if (text === "") return 0;
  return /^[0-7]+$/u.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

function hasItsChecksum(header: Buffer): boolean {
  return numberAt(header, 148, 8) === sumOf(header);
}

/** The sum of a header's bytes. The bytes of the sum itself count as spaces. */
function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}
