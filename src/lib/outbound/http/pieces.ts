import type { DirectRequest } from "./request-head.ts";

/** A few bytes are copied: to point into a small array the runtime would first move all of it, which takes longer. */
const FEW_BYTES = 4 * 1024;

/** The bytes from `from` on; they may share their memory with the whole. */
export function restOf(bytes: Buffer<ArrayBuffer>, from: number): Buffer<ArrayBuffer> {
  const length = bytes.length - from;
  if (length > FEW_BYTES) return bytes.subarray(from);
  const rest = Buffer.allocUnsafe(length);
  bytes.copy(rest, 0, from);
  return rest;
}

/** A request as one array: its head in Latin-1, then its body of `bodyBytes`. */
export function inOnePiece(head: string, body: DirectRequest["body"], bodyBytes: number): Uint8Array {
  const piece = Buffer.allocUnsafe(head.length + bodyBytes);
  piece.write(head, "latin1");
  if (typeof body === "string") piece.write(body, head.length);
  else if (body) piece.set(body, head.length);
  return piece;
}
