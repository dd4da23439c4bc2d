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

/** Up to here head and body go out as one piece: two would wake the other side twice. */
const PIECE_BYTES = 64 * 1024;
const piece = Buffer.allocUnsafe(PIECE_BYTES);

/** Whether a request is small enough for `inOnePiece`. */
export const writesInOnePiece = (head: string, bodyBytes: number): boolean => head.length + bodyBytes <= PIECE_BYTES;

/** A request's bytes: its head in Latin-1, then its body. They are only good until the next call. */
export function inOnePiece(head: string, body: DirectRequest["body"]): { bytes: Buffer; length: number } {
  let length = piece.write(head, "latin1");
  if (typeof body === "string") length += piece.write(body, length);
  else if (body) {
    piece.set(body, length);
    length += body.length;
  }
  return { bytes: piece, length };
}
