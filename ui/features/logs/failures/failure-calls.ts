import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { FailureState } from "../../../../src/domain/logs/failures/failure-rules.ts";
import type { FailureGroup } from "../../../../src/domain/logs/failures/read-failures.ts";
import { readData } from "../../../api/client.ts";
import { failureApi } from "../../../api/groups.ts";
import type { LogScope } from "../entries/log-queries.ts";
import { nowSeconds, rangeOf } from "../time-range.ts";

/** Calls that failed alike. */
export type Failure = FailureGroup;

const callsOf = (scope: LogScope) => (scope === "all" ? failureApi : failureApi.self);

/** The failures of a range that ends now, such as `24h`, by their cause. */
export const failureGroups = (scope: LogScope, range: string) =>
  queryOptions({
    queryKey: ["failures", scope, range],
    queryFn: ({ signal }) => {
      const { start } = rangeOf({ range }, nowSeconds());
      return readData(callsOf(scope).get({ query: { start_timestamp: start }, fetch: { signal } }));
    },
    placeholderData: keepPreviousData,
  });

/** Mutes or resolves a group, or opens it again. */
export const decide = (scope: LogScope, cause: string, state: FailureState) =>
  readData(callsOf(scope).post({ cause, state }));
