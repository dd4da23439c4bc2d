/** Bytes of server-sent events. Lines may end with LF, CRLF or CR; an event ends with an empty line. */

/** A streamed response; the type says what each of its events, or lines of JSON, holds. */
export type Streamed<Item> = Response & Readonly<{ item?: Item }>;

/** Keeps proxies from gathering or changing an event stream. */
export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** What an event that carries something has; comments have none. */
export const DATA_FIELD = Buffer.from("data");

const LF = 10;
const CR = 13;

/** Length of the part of `bytes` that consists of whole events; 0 when not even one is complete. */
export function completeEventsLength(bytes: Uint8Array): number {
  const { length } = bytes;
  const last = bytes[length - 1];
  if (last === LF) {
    const before = bytes[length - 2];
    if (before === LF || (before === CR && bytes[length - 3] === LF)) return length;
  } else if (last === CR && bytes[length - 2] === CR) return length;
  return eventStart(bytes, length);
}

/** Empty lines as they end an event. */
const ENDS = ["\n\n", "\r\n\r\n", "\r\r"].map((end) => Buffer.from(end));

/** Where the event that byte `at` belongs to ends, its empty line included. */
export function eventEnd(bytes: Uint8Array, at: number): number {
  let end = bytes.length;
  for (const empty of ENDS) {
    const found: number = Buffer.prototype.indexOf.call(bytes, empty, at);
    if (found >= 0) end = Math.min(end, found + empty.length);
  }
  return end;
}

/** Where the event that byte `at` belongs to begins: behind the last empty line before it. */
export function eventStart(bytes: Uint8Array, at: number): number {
  let start = 0;
  for (const empty of ENDS) {
    const found: number = Buffer.prototype.lastIndexOf.call(bytes, empty, at);
    if (found >= 0) start = Math.max(start, found + empty.length);
  }
  return start;
}

const BOUNDARY = /\r\n\r\n|\n\n|\r\r/g;

/** Cuts whole events (and a rest without its empty line, if any) apart; each piece keeps the empty line that ends it. */
export function splitEvents(text: string): string[] {
  const events: string[] = [];
  let from = 0;
  for (const match of text.matchAll(BOUNDARY)) {
    const end = match.index + match[0].length;
    events.push(text.slice(from, end));
    from = end;
  }
  if (from < text.length) events.push(text.slice(from));
  return events;
}

/**
 * The data of one event: its data lines joined by LF; null when it has none (a comment, a bare id). Where the data line
 * says nothing, JSON on the line behind it counts, as some servers break theirs.
 */
export function eventData(event: string): string | null {
  let data: string | null = null;
  for (const line of event.split(/\r\n|\n|\r/)) {
    if (data === "" && isBrokenOff(line, 0)) data = line.trim();
    if (!line.startsWith("data")) continue;
    if (line.length > 4 && line[4] !== ":") continue;
    const value = line[5] === " " ? line.slice(6) : line.slice(5);
    data = data === null ? value : `${data}\n${value}`;
  }
  return data;
}

/** What an event carries; `event` is empty when it has no name. */
export type EventText = { event: string; data: string };

/** The events of a text that carry data, in order; a last one without its empty line counts too. */
export function readEvents(text: string): EventText[] {
  const events: EventText[] = [];
  const reader = new EventReader(text);
  for (let event = reader.next(); event; event = reader.next()) events.push(event);
  return events;
}

/** A carriage return that ends a line by itself. */
const LONE_CR = /\r(?!\n)/g;

/** Reads the events of a text one by one, no further than it is asked. */
export class EventReader {
  readonly #text: string;
  #from = 0;

  constructor(text: string) {
    this.#text = text.includes("\r") ? text.replace(LONE_CR, "\n") : text;
  }

  /** The next event that carries data; null: there is none any more. */
  next(): EventText | null {
    const text = this.#text;
    let event = "";
    let data: string | null = null;
    while (this.#from <= text.length) {
      const from = this.#from;
      const feed = text.indexOf("\n", from);
      const stop = feed < 0 ? text.length : feed;
      const end = stop > from && text.charCodeAt(stop - 1) === CR ? stop - 1 : stop;
      this.#from = stop + 1;
      if (end === from) {
        if (data !== null) return { event, data };
        event = "";
      } else if (isField(text, "data", from, end)) {
        const value = fieldValue(text, from + 4, end);
        data = data === null ? value : `${data}\n${value}`;
      } else if (isField(text, "event", from, end)) {
        event = fieldValue(text, from + 5, end);
      } else if (data === "" && isBrokenOff(text, from)) {
        data = text.slice(from, end).trim();
      }
    }
    return data === null ? null : { event, data };
  }
}

/** No field's name begins so: the line belongs to the data before it. */
const isBrokenOff = (text: string, from: number): boolean => " \t{[".includes(text[from] ?? "\n");

const isField = (text: string, name: string, from: number, end: number): boolean =>
  text.startsWith(name, from) && (from + name.length === end || text[from + name.length] === ":");

/** What stands behind the colon at `colon`, without the one blank that may lead it. */
function fieldValue(text: string, colon: number, end: number): string {
  const start = text[colon + 1] === " " ? colon + 2 : colon + 1;
  return start < end ? text.slice(start, end) : "";
}
