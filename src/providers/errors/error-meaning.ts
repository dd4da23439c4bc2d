import type { AccountProblem, ErrorSign, ServiceFacts } from "../contract/facts.ts";
import { everyFacts, factsOf } from "../registry.ts";

/** An error as far as signs look at it. */
export type SignedError = Readonly<{
  code: string | number | null;
  /** The service's own, where the error has not OpenAI's shape. */
  serviceCode?: string | number;
  type: string;
  message: string;
}>;

/** True of every service: the words of HTTP and of OpenAI's API, which most of them repeat. */
const COMMON: ServiceFacts = {
  errors: {
    no_credit: [
      { status: 402 },
      { code: "insufficient_quota" },
      { type: "insufficient_quota" },
      { code: "billing_not_active" },
      // Gateways of the one-api family, as upstreams.
      { code: "insufficient_user_quota" },
      { type: "insufficient_user_quota" },
      { code: "pre_consume_token_quota_failed" },
    ],
    bad_key: [
      { status: 400, message: /^incorrect api key provided/i },
      { code: "invalid_api_key" },
      { code: "account_deactivated" },
    ],
  },
};

/** Signs by a code or type that only one service has: proxies and compatible servers repeat them, under other channel types. */
const UNMISTAKABLE: readonly (readonly [AccountProblem, ErrorSign])[] = everyFacts.flatMap((facts) =>
  signsOf(facts).filter(([, { code = "", type = "" }]) => /[a-z]/i.test(code + type)),
);

/**
 * What an error says about the account that a channel uses; null: nothing. `isOwn` tells the service's own words from those
 * that it quotes from the request.
 */
export function accountProblemOf(
  channelType: number,
  status: number,
  error: SignedError,
  isOwn: (words: string) => boolean,
): AccountProblem | null {
  const own = factsOf(channelType);
  const signs = [...(own ? signsOf(own) : []), ...signsOf(COMMON), ...UNMISTAKABLE];
  return signs.find(([, sign]) => fits(sign, status, error, isOwn))?.[0] ?? null;
}

function signsOf({ errors }: ServiceFacts): (readonly [AccountProblem, ErrorSign])[] {
  const of = (problem: AccountProblem) => (errors?.[problem] ?? []).map((sign) => [problem, sign] as const);
  return [...of("no_credit"), ...of("bad_key")];
}

/** Whether an error has a sign. */
export function fits(sign: ErrorSign, status: number, error: SignedError, isOwn: (words: string) => boolean): boolean {
  if (sign.status !== undefined && sign.status !== status) return false;
  if (sign.code !== undefined && sign.code !== String(error.serviceCode ?? error.code)) return false;
  if (sign.type !== undefined && sign.type !== error.type) return false;
  if (!sign.message) return true;
  const [words] = sign.message.exec(error.message) ?? [];
  return words !== undefined && isOwn(words);
}
