import type { JsonObject } from "../../dialects/json.ts";
import { textOf } from "../../dialects/json.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { RelayContext } from "../context.ts";
import { RelayError } from "../errors.ts";
import { askObject, makerOf } from "./ask-upstream.ts";
import { settleObject } from "./settle-object.ts";
import type { KeptObject, ObjectKind } from "./store.ts";

/** Where an object of a kind stands behind the version. */
export const PATHS: Readonly<Record<ObjectKind, string>> = {
  file: "/files",
  upload: "/uploads",
  batch: "/batches",
  job: "/fine_tuning/jobs",
};

export const pathOf = ({ kind, id }: Pick<KeptObject, "kind" | "id">): string =>
  `${PATHS[kind]}/${encodeURIComponent(id)}`;

/** Asks the upstream how an object stands, and keeps that. Rejects RelayError. */
export async function refresh(context: RelayContext, object: KeptObject): Promise<KeptObject> {
  const body = await askObject(context, makerOf(context, object), { method: "GET", path: pathOf(object) });
  return noted(context, object, body);
}

/** Keeps what the upstream says of an object now, with the files it has made; charges what is over, before anybody is told. */
export async function noted(context: RelayContext, object: KeptObject, body: JsonObject): Promise<KeptObject> {
  const { objects } = context.services;
  const now = { ...object, body };
  await objects.keep(now);
  for (const id of filesOf(body)) {
    await objects.keep({ ...object, id, kind: "file", body: { id, object: "file" }, createdAt: nowSeconds() });
  }
  await settleObject(context, now);
  return now;
}

/** Files that an object made. */
function filesOf(body: JsonObject): string[] {
  const made = [
    body.output_file_id,
    body.error_file_id,
    ...(Array.isArray(body.result_files) ? body.result_files : []),
  ];
  return made.map(textOf).filter((id) => id !== null && id !== "") as string[];
}

const SWEEP_OBJECTS = 200;
/** What an upstream has forgotten, or keeps behind a key that is gone, is given up for lost. */
const GIVE_UP_SECONDS = 45 * 86_400;

/** Charges batches and jobs that are over though nobody has asked for them. */
export async function settleForgotten(context: RelayContext): Promise<void> {
  const { objects, log } = context.services;
  for (const object of await objects.unsettled(SWEEP_OBJECTS)) {
    try {
      await refresh(context, object);
    } catch (error) {
      const isGone = error instanceof RelayError && error.status === 404;
      if (isGone || nowSeconds() - object.createdAt > GIVE_UP_SECONDS) await objects.settled(object.id, nowSeconds());
      else log.warn({ error, objectId: object.id }, "a batch or job could not be looked at");
    }
  }
}
