import { t } from "elysia";
import type { Acting } from "../../domain/accounts/organizations/members/acting.ts";
import type { LogCursor } from "../../domain/logs/list/list-logs.ts";
import type { LogFilter } from "../../domain/logs/log-filter.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { integerField, numberOrUndefined, timestamp } from "../http/paging.ts";

const text = t.Optional(t.String());

/** What lists of the log may be limited to, as query parameters. */
export const filterQuery = {
  type: integerField(32_767),
  token_name: text,
  token_id: integerField(),
  model_name: text,
  group: text,
  request_id: text,
  ip: text,
  tag: text,
  /** A verdict about the call: the guardrail's name, what it did or would have done, what it looks for. */
  guardrail: text,
  guardrail_action: text,
  guardrail_kind: text,
  guardrail_shadow: text,
  end_user: text,
  /** Of the organization whose own rows are listed. */
  project: integerField(),
  member: integerField(),
  failed: text,
  start_timestamp: timestamp(),
  end_timestamp: timestamp(),
  username: text,
  channel: integerField(),
  user_id: integerField(),
};
const query = t.Object(filterQuery);
type FilterQuery = typeof query.static;

function commonFilter(input: FilterQuery): LogFilter {
  const { type, token_name, token_id, model_name, group, request_id, failed, start_timestamp, end_timestamp } = input;
  const { tag, end_user: endUser, ip } = input;
  const tokenId = numberOrUndefined(token_id);
  return {
    ...(type && { type }),
    ...(token_name && { tokenName: token_name }),
    ...(tokenId !== undefined && { tokenId }),
    ...(model_name && { modelName: model_name }),
    ...(group && { group }),
    ...(request_id && { requestId: request_id.trim() }),
    ...(ip?.trim() && { ip: ip.trim() }),
    ...(tag?.trim() && { tag: tag.trim() }),
    ...verdictFilter(input),
    ...(endUser?.trim() && { endUser: endUser.trim() }),
    ...((failed === "true" || failed === "false") && { failed: failed === "true" }),
    ...(start_timestamp && { start: Math.ceil(start_timestamp) }),
    ...(end_timestamp && { end: Math.trunc(end_timestamp) }),
  };
}

function verdictFilter(input: FilterQuery): Pick<LogFilter, "verdict"> {
  const { guardrail, guardrail_action: action, guardrail_kind: kind, guardrail_shadow: shadow } = input;
  const verdict = {
    ...(guardrail && { name: guardrail }),
    ...(action && { action }),
    ...(kind && { kind }),
    ...((shadow === "true" || shadow === "false") && { isShadow: shadow === "true" }),
  };
  return Object.keys(verdict).length > 0 ? { verdict } : {};
}

/** The filter over all users' rows. */
export function adminFilter(input: FilterQuery): LogFilter {
  return {
    ...commonFilter(input),
    ...(input.username && { username: input.username }),
    ...(input.channel && { channelId: input.channel }),
    ...(input.user_id && { userId: input.user_id }),
  };
}

/** Who reads the rows of which account. */
export type Reader = Readonly<{ actor: Pick<Acting["actor"], "id">; may: Acting["may"] }>;

/** The filter over one account's rows that may be read. Its id comes last, so that no parameter can name another one. */
export const ownFilter = (input: FilterQuery, { actor, may }: Reader): LogFilter => ({
  ...commonFilter(input),
  ...(input.project && { projectId: input.project }),
  ...(input.member && { memberId: input.member }),
  ...(!may("audit.read") && { withoutAudit: true }),
  userId: actor.id,
});

/** Reads the place behind which a list continues. Throws OperationError. */
export function readCursor(input: string): LogCursor {
  const match = /^(\d{1,16})-(\d{1,16})$/.exec(input);
  if (!match) throw new OperationError("log_cursor_invalid");
  return { createdAt: Number(match[1]), id: Number(match[2]) };
}
