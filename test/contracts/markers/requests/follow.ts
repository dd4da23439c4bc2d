import type { JsonObject } from "../../../../src/formats/json.ts";
import type { Client } from "../clients/client.ts";
import { Builder, type Leaf, type Target } from "./build.ts";
import { emptyMessages } from "./empty-messages.ts";
import type { Sent } from "./send.ts";
import type { Service } from "./services.ts";

/** A member of a request that is neither found upstream nor named as left behind. */
export type Loss = Readonly<{
  what: "lost" | "moved" | "refused" | "empty";
  path: string;
  /** The member's value. */
  value: unknown;
  client: Client["name"];
  service: Service;
  request: JsonObject;
  sent: Sent;
}>;

/** A request with the targets that fit together. */
export function requestWith(client: Client, targets: readonly Target[], random: () => number) {
  const builder = new Builder(random, client.special);
  const request: JsonObject = {};
  for (const target of targets) builder.add(request, client.root, target);
  client.arrange(request, builder);
  return { request, leaves: builder.leaves };
}

type Send = (client: Client, service: Service, request: JsonObject) => Promise<Sent>;

/** Follows each member of a request upstream. */
export async function follow(
  send: Send,
  client: Client,
  service: Service,
  { request, leaves }: ReturnType<typeof requestWith>,
): Promise<Loss[]> {
  const sent = await send(client, service, request);
  const about = { client: client.name, service, request, sent };
  if (sent.refusal !== undefined) return [{ ...about, what: "refused", path: sent.refusal, value: null }];
  const found = legible(sent.body);
  const losses: Loss[] = [];
  const reached = objectsIn(request);
  for (const leaf of leaves) {
    // What made room for something else is not in the request.
    if (!reached.has(leaf.owner) || (!Array.isArray(leaf.owner) && leaf.owner[leaf.key] === undefined)) continue;
    if (leaf.marker !== null && found.includes(leaf.marker)) continue;
    if (isNamed(sent.dropped, leaf.path)) continue;
    if ((leaf.marker === null || leaf.isAmount) && (await differs(send, client, service, request, leaf, sent)))
      continue;
    losses.push({ ...about, what: "lost", path: leaf.path, value: Reflect.get(leaf.owner, leaf.key) });
  }
  for (const message of emptyMessages(sent.body))
    losses.push({ ...about, what: "empty", path: JSON.stringify(message), value: null });
  const moved = outOfOrder(client, request, leaves, found);
  if (moved) losses.push({ ...about, what: "moved", path: moved, value: null });
  return losses;
}

/** Every object and list of a value. */
export function objectsIn(value: unknown, into = new Set<unknown>()): ReadonlySet<unknown> {
  if (typeof value !== "object" || value === null) return into;
  into.add(value);
  for (const inner of Object.values(value)) objectsIn(inner, into);
  return into;
}

/** A body with what is encoded in it. */
export function legible(body: string): string {
  const encoded = body.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? [];
  return [body, ...encoded.map((text) => Buffer.from(text, "base64").toString("latin1"))].join("\n");
}

/** Whether it matters upstream, or for what is named, that the member is there. */
async function differs(
  send: Send,
  client: Client,
  service: Service,
  request: JsonObject,
  leaf: Leaf,
  sent: Sent,
): Promise<boolean> {
  const { owner, key, isOptional, others } = leaf;
  const holder = owner as Record<string | number, unknown>;
  const value = holder[key];
  const changed = async (other: unknown): Promise<boolean> => {
    const list = Array.isArray(owner) ? [...owner] : null;
    if (list && Array.isArray(owner) && other === undefined) owner.splice(owner.indexOf(value), 1);
    else holder[key] = other;
    const again = await send(client, service, request);
    if (list && Array.isArray(owner)) owner.splice(0, owner.length, ...list);
    else holder[key] = value;
    return again.body !== sent.body || again.refusal !== undefined;
  };
  if (isOptional || others.length === 0) return changed(undefined);
  for (const other of others) if (await changed(other)) return true;
  return false;
}

/** Whether one of the names identifies the member. */
function isNamed(dropped: readonly string[], path: string): boolean {
  const words = new Set(path.split(/[.[\]]+/).map(plain));
  return dropped.some((name) => {
    const parts = name.split(/[:.[\]\s]+/).filter((word) => word !== "");
    const last = parts.at(-1) ?? "";
    return words.has(plain(last)) || (ALIASES[last] ?? []).some((alias) => words.has(plain(alias)));
  });
}

/** A name without its version and spelling. */
const plain = (word: string): string => word.replace(/_preview.*$|_\d{8}$|(_\d+){3}$|_/g, "").toLowerCase();

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  audio: ["input_audio"],
  image_url: ["image", "input_image", "inlineData"],
  image: ["image_url", "input_image", "inlineData"],
  document: ["file", "input_file", "fileData"],
};

/** The first text that stands before one that it followed; null: all are in order, or left out. */
function outOfOrder(client: Client, request: JsonObject, leaves: readonly Leaf[], found: string): string | null {
  const text = JSON.stringify(request);
  const texts = leaves
    .filter(({ path, marker }) => marker !== null && client.texts.test(path))
    .map(({ path, marker }) => ({ path, from: text.indexOf(`${marker}`), to: found.indexOf(`${marker}`) }))
    .filter(({ from, to }) => from >= 0 && to >= 0)
    .sort((a, b) => a.from - b.from);
  return texts.find(({ to }, at) => texts.slice(0, at).some((before) => before.to > to))?.path ?? null;
}
