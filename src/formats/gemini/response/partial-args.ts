import type { Signature } from "../../conversation/conversation.ts";
import { type JsonObject, numberOf, recordsOf, textOf } from "../../json.ts";

const MAX_SEGMENTS = 64;
/** The highest index in a list: an upstream must not decide how much memory a list takes. */
const MAX_INDEX = 10_000;

type Container = JsonObject | unknown[];

/**
 * A function call whose arguments arrive in fragments (`streamFunctionCallArguments` of Vertex AI). Each fragment has
 * the JSONPath (RFC 9535) of its value; fragments of the same string are concatenated. Never throws: invalid fragments
 * are ignored.
 */
export class PartialCall {
  readonly #args: JsonObject;

  constructor(
    readonly name: string,
    readonly id: string | null,
    args: JsonObject | null,
    public signature: Signature | null,
  ) {
    this.#args = { ...args };
  }

  add(pieces: unknown): void {
    for (const piece of recordsOf(pieces)) {
      const path = segmentsOf(textOf(piece.jsonPath) ?? "");
      const value = pieceValue(piece);
      if (path && value !== undefined) put(this.#args, path, value);
    }
  }

  get input(): string {
    return JSON.stringify(this.#args);
  }
}

function pieceValue(piece: JsonObject): unknown {
  if ("nullValue" in piece) return null;
  if (typeof piece.boolValue === "boolean") return piece.boolValue;
  return textOf(piece.stringValue) ?? numberOf(piece.numberValue) ?? undefined;
}

const SEGMENT = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/sy;

/** The names and indexes of a path such as `$.places[0]['zip code']`; null if the path is invalid or out of bounds. */
function segmentsOf(path: string): (string | number)[] | null {
  if (!path.startsWith("$")) return null;
  const segments: (string | number)[] = [];
  SEGMENT.lastIndex = 1;
  for (let at = 1; at < path.length; at = SEGMENT.lastIndex) {
    SEGMENT.lastIndex = at;
    const [match, name, index, single, double] = SEGMENT.exec(path) ?? [];
    if (match === undefined || segments.length >= MAX_SEGMENTS) return null;
    if (index !== undefined) {
      if (Number(index) > MAX_INDEX) return null;
      segments.push(Number(index));
    } else segments.push(name ?? (single ?? double ?? "").replace(/\\(.)/gs, "$1"));
  }
  return segments.length > 0 ? segments : null;
}

function put(root: JsonObject, path: readonly (string | number)[], value: unknown): void {
  let place: Container = root;
  for (const [at, segment] of path.entries()) {
    if ((typeof segment === "number") !== Array.isArray(place)) return;
    const next = path[at + 1];
    const known = ownValue(place, segment);
    if (next === undefined) {
      const joined = typeof known === "string" && typeof value === "string" ? known + value : value;
      define(place, segment, joined);
      return;
    }
    const isList = typeof next === "number";
    const fits = isList ? Array.isArray(known) : typeof known === "object" && known !== null && !Array.isArray(known);
    const inner: Container = fits ? (known as Container) : isList ? [] : {};
    if (!fits) define(place, segment, inner);
    place = inner;
  }
}

const ownValue = (place: Container, segment: string | number): unknown =>
  Object.getOwnPropertyDescriptor(place, segment)?.value;

/** Defines an own property, also for names such as `__proto__` that an assignment would apply to the prototype. */
const define = (place: Container, segment: string | number, value: unknown): void => {
  Object.defineProperty(place, segment, { value, enumerable: true, writable: true, configurable: true });
};
