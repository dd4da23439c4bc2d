/**
 * How a service says something by an error: each member that is present must fit. `code` and `type` are compared whole;
 * `message` is for services that say it in words alone.
 */
export type ErrorSign = Readonly<{ status?: number; code?: string; type?: string; message?: RegExp }>;

/** What an error says about the operator's account, whatever the request was. */
export type AccountProblem = "no_credit" | "bad_key";

/** What is known about a service beyond its API. Grows by members; a service without an entry has the common facts alone. */
export type ServiceFacts = Readonly<{
  accountProblems: Readonly<Partial<Record<AccountProblem, readonly ErrorSign[]>>>;
}>;

/** An error as far as signs look at it. */
export type SignedError = Readonly<{
  code: string | number | null;
  /** The service's own, where the error has not OpenAI's shape. */
  serviceCode?: string | number;
  type: string;
  message: string;
}>;

const noCredit = (...signs: ErrorSign[]): ServiceFacts => ({ accountProblems: { no_credit: signs } });

/** True of every service: the words of HTTP and of OpenAI's API, which most of them repeat. */
const COMMON: ServiceFacts = {
  accountProblems: {
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

/** By the number of the channel type. */
const BY_TYPE: Readonly<Record<number, ServiceFacts>> = {
  // Anthropic: https://platform.claude.com/docs/en/api/errors
  14: noCredit({ status: 400, message: /^your credit balance is too low/i }, { type: "billing_error" }),
  // Baidu Qianfan v1: 17 and 19 are limits of free use, 18 is a rate limit; accounts in arrears lose access.
  15: noCredit({ code: "account_overdue" }),
  16: noCredit({ code: "1113" }),
  // Alibaba: https://help.aliyun.com/zh/model-studio/error-code
  17: noCredit({ code: "Arrearage" }, { type: "Arrearage" }, { code: "AllocationQuota.FreeTierOnly" }),
  // OpenRouter: https://openrouter.ai/docs/api-reference/errors
  20: noCredit({ status: 403, message: /^key limit exceeded/i }),
  23: noCredit(
    { code: "ResourceUnavailable.InArrears" },
    { code: "ResourceUnavailable.LowBalance" },
    { code: "FailedOperation.ResourcePackExhausted" },
    { code: "FailedOperation.FreeResourcePackExhausted" },
  ),
  // Kimi: https://platform.moonshot.cn/docs/api/chat#错误说明
  25: noCredit({ type: "exceeded_current_quota_error" }, { code: "exceeded_current_quota_error" }),
  // GLM: https://docs.bigmodel.cn/cn/api/api-code
  26: noCredit({ code: "1113" }),
  35: noCredit({ code: "1008" }),
  40: noCredit({ code: "30001" }),
  43: noCredit({ status: 402 }),
  // Ark: https://www.volcengine.com/docs/82379/1299023
  45: noCredit({ code: "AccountOverdueError" }, { code: "AccountOverdue" }),
  // xAI: its codes say the kind of failure, its words what failed.
  48: noCredit(
    { status: 403, message: /doesn['’]t have any credits/i },
    { status: 429, message: /used all available credits|monthly spending limit/i },
    { status: 403, message: /used all available credits|monthly spending limit/i },
  ),
  // Kling: https://app.klingai.com/global/dev/document-api/apiReference/errorCode
  1010: noCredit({ code: "1101" }, { code: "1102" }),
  1005: noCredit({ message: /exceeded your monthly included credits/i }),
  1007: {
    accountProblems: { bad_key: [{ type: "UnrecognizedClientException" }, { code: "UnrecognizedClientException" }] },
  },
};

/** Signs by a code or type that only one service has: proxies and compatible servers repeat them, under other channel types. */
const UNMISTAKABLE: readonly (readonly [AccountProblem, ErrorSign])[] = Object.values(BY_TYPE).flatMap((facts) =>
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
  const own = BY_TYPE[channelType];
  const signs = [...(own ? signsOf(own) : []), ...signsOf(COMMON), ...UNMISTAKABLE];
  return signs.find(([, sign]) => fits(sign, status, error, isOwn))?.[0] ?? null;
}

function signsOf({ accountProblems }: ServiceFacts): (readonly [AccountProblem, ErrorSign])[] {
  const of = (problem: AccountProblem) => (accountProblems[problem] ?? []).map((sign) => [problem, sign] as const);
  return [...of("no_credit"), ...of("bad_key")];
}

function fits(sign: ErrorSign, status: number, error: SignedError, isOwn: (words: string) => boolean): boolean {
  if (sign.status !== undefined && sign.status !== status) return false;
  if (sign.code !== undefined && sign.code !== String(error.serviceCode ?? error.code)) return false;
  if (sign.type !== undefined && sign.type !== error.type) return false;
  if (!sign.message) return true;
  const [words] = sign.message.exec(error.message) ?? [];
  return words !== undefined && isOwn(words);
}
