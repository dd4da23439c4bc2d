import { type ChatService, PLAIN_SERVICE } from "../../formats/conversation/service.ts";
import type { AddressForms } from "./base-address.ts";
import type { RequestDifferences } from "./request-differences.ts";

/**
 * How a service says something by an error: each member that is present must fit. `code` and `type` are compared exactly;
 * `message` is for services that say it in words alone.
 */
export type ErrorSign = Readonly<{ status?: number; code?: string; type?: string; message?: RegExp }>;

/** What an error says about the operator's account, whatever the request was. */
export type AccountProblem = "no_credit" | "bad_key";

/** What an error of a service means, where its status and code alone don't say so to clients. */
export type ErrorMeaning = AccountProblem | "context_overflow" | "refusal";

/** An address that a service's pages print. */
export type ServiceHost = Readonly<{
  /** Where it is: a country's ISO code, or `EU`; null: for customers outside the service's country. */
  region: string | null;
  url: string;
  /** The subscription that it is for, in the service's words; absent: calls are paid one by one. */
  plan?: string;
}>;

/** The regions of a service whose channels name one: in their extra parameter (`other`), or as a part of the key. */
export type ServiceRegions = Readonly<{
  place: "other" | "key";
  names: readonly string[];
  source: string;
  /** The day on which the source was last compared with the names, `YYYY-MM-DD`. */
  day: string;
}>;

/**
 * What is known about a service beyond its wire formats: data that encoders, routing, tests, the console and the generated
 * page of the documentation read. Absent members: as OpenAI's API.
 */
export type ServiceFacts = Readonly<{
  /** Its chats. */
  chat?: Readonly<Partial<ChatService>>;
  /** Where its requests differ from OpenAI's, so that it is not sent what it would reject. */
  requests?: RequestDifferences;
  /** How its errors say what they mean, by meaning. */
  errors?: Readonly<Partial<Record<ErrorMeaning, readonly ErrorSign[]>>>;
  /**
   * Its service tiers by OpenAI's names for them; others are left out, and its own names stay. Empty: it has none. Absent: the same
   * names as OpenAI's.
   */
  tiers?: Readonly<Record<string, string>>;
  /** Its addresses, where it has several: the console's form offers them. */
  hosts?: readonly ServiceHost[];
  /** Its regions: the console's form offers them, any other can be typed. */
  regions?: ServiceRegions;
  /** Its documentation: the newest version of its API there, and the day on which that was last compared with this record. */
  documented?: Readonly<{ source: string; version?: string; day?: string }>;
  /** How its base addresses are written; absent: a host, with or without `/v1`. */
  addresses?: Readonly<Partial<Pick<AddressForms, "root" | "printed">>>;
  /** It has ended: the day, and where that is said. Channels keep the number of its type. */
  ended?: Readonly<{
    /** `YYYY-MM-DD`. */
    day: string;
    source: string;
  }>;
}>;

const services = new WeakMap<ServiceFacts, ChatService>();

/** Whether anything is known of how the service differs from OpenAI's API. */
export const hasRecord = ({ facts }: Readonly<{ facts?: ServiceFacts }>): boolean =>
  (facts?.chat ?? facts?.requests ?? facts?.errors ?? facts?.tiers) !== undefined;

/**
 * The chats of a service for one call: where the upstream's name says nothing of the model, what holds for the client's name of
 * it.
 */
export function chatServiceFor(
  provider: Readonly<{ facts?: ServiceFacts }>,
  { model, requestedModel }: Readonly<{ model: string; requestedModel?: string }>,
): ChatService {
  const service = chatServiceOf(provider);
  if (requestedModel === undefined || !service.opaqueNames?.test(model)) return service;
  const controls = service.reasoning.filter(({ models }) => models?.test(requestedModel) ?? true);
  return { ...service, reasoning: controls.map(({ models: _, ...control }) => control) };
}

/** The chats of a service by its facts; without facts those of a plain OpenAI service. */
export function chatServiceOf({ facts }: Readonly<{ facts?: ServiceFacts }>): ChatService {
  if (!facts) return PLAIN_SERVICE;
  let service = services.get(facts);
  if (!service) {
    service = { ...PLAIN_SERVICE, ...facts.chat };
    services.set(facts, service);
  }
  return service;
}
