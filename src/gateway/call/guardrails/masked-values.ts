import { recordOf } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Call } from "../call.ts";
import type { Caller } from "../caller.ts";
import type { Uses } from "../services.ts";

/** Values by what stands for them in a conversation that a provider stores, where later requests do not repeat them. */
export type MaskedValues = Readonly<{
  /** Whose they are (`tenantOf`): nobody else gets them. */
  tenant: string;
  values: Readonly<Record<string, string>>;
}>;

/** Where the values of conversations are kept: encrypted, for all processes, as long as stored responses. */
export type MaskedValueStore = Readonly<{
  /** The values of a conversation; empty: none are known (any more). `key`: names it and its tenant. */
  maskedValues(key: string, now: number): Promise<MaskedValues["values"]>;
  /** Adds values to those of a conversation. */
  addMaskedValues(
    key: string,
    owner: Readonly<{ userId: number; expiresAt: number }>,
    values: MaskedValues["values"],
  ): Promise<void>;
}>;

/** Whose values a placeholder stands for: those of one API key, or of a person in the playground. */
export const tenantOf = ({ token, user }: Pick<Caller, "token" | "user">): string =>
  token ? `key ${token.id}` : `user ${user.id}`;

/** More values of a conversation are not kept: the oldest are forgotten. */
const MOST_VALUES = 2_000;

/** These values and newer ones. */
export const joinValues = (
  older: MaskedValues["values"],
  newer: Iterable<readonly [placeholder: string, value: string]>,
): MaskedValues["values"] => {
  const all = new Map(Object.entries(older));
  for (const [placeholder, value] of newer) {
    all.delete(placeholder);
    all.set(placeholder, value);
  }
  return Object.fromEntries([...all].slice(-MOST_VALUES));
};

/** The key of a conversation's values in the store. */
export const keyOfConversation = (
  { services }: Uses<"vault">,
  caller: Pick<Caller, "token" | "user">,
  id: string,
): string => services.vault.keyedHash(`masked ${tenantOf(caller)} ${id}`);

/** The conversation that a provider keeps, and that a request of the Responses API goes on with; null: it names none. */
function conversationOf({ body: { json }, endpoint }: Pick<Call, "body" | "endpoint">): string | null {
  if (endpoint.codec.dialect !== "openai-responses") return null;
  const { conversation } = json;
  const id = typeof conversation === "string" ? conversation : recordOf(conversation)?.id;
  return typeof id === "string" && id !== "" ? id : null;
}

/** The values of the conversation that a request names, which may grow. */
export type NamedConversation = Readonly<{
  read(): Promise<MaskedValues["values"]>;
  add(values: ReadonlyMap<string, string>): Promise<void>;
}>;

/** The conversation that a call names; null: none, or the site stores none. A store that is down costs no call: placeholders stay. */
export function namedConversation(
  context: Uses<"log" | "settings" | "vault"> & Readonly<{ services: MaskedStores }>,
  call: Call,
): NamedConversation | null {
  const { log, responses, settings } = context.services;
  const id = conversationOf(call);
  const hours = settings.values["responses.keep_hours"];
  if (id === null || hours === 0) return null;
  const key = keyOfConversation(context, call.caller, id);
  return {
    read: () =>
      responses.maskedValues(key, nowSeconds()).catch((error: unknown) => {
        log.warn({ error, requestId: call.requestId }, "what was masked in a conversation could not be read");
        return {};
      }),
    async add(values) {
      if (values.size === 0) return;
      const owner = { userId: call.caller.user.id, expiresAt: nowSeconds() + hours * 3600 };
      await responses.addMaskedValues(key, owner, Object.fromEntries(values)).catch((error: unknown) => {
        log.warn({ error, requestId: call.requestId }, "what was masked in a conversation could not be kept");
      });
    },
  };
}

/** The stores of a process, as far as masked values need them. */
export type MaskedStores = Readonly<{ responses: MaskedValueStore }>;
