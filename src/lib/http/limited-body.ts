/**
 * A body, whether or not it declares its length, of at most `maxBytes`; null: it is longer, and the rest is left unread. `take` is
 * called with the size of each piece before it is kept, and may throw.
 */
export async function bytesUpTo(
  { body, headers }: Pick<Request, "body" | "headers">,
  maxBytes: number,
  take?: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if ((declaredLength({ headers }) ?? 0) > maxBytes) return null;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.byteLength;
    if (length > maxBytes) return null;
    take?.(piece.byteLength);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** What a request says its body is long, in bytes; null: it does not say. */
export function declaredLength({ headers }: Pick<Request, "headers">): number | null {
  const reported = headers.get("content-length");
  return reported === null ? null : Number(reported);
}
