import { queryOptions } from "@tanstack/react-query";
import type { BillingProfile } from "../../../../src/domain/wallet/statements/documents.ts";
import type { ChargesBy } from "../../../../src/domain/wallet/statements/movements/movement-rows.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData, readEnvelope, requestDownload } from "../../../api/client.ts";
import { statementApi } from "../../../api/groups.ts";

/** Which document is shown: the draft of the present month, an issued one of the account, or anybody's. */
export type StatementRef = Readonly<{ scope: "draft" }> | Readonly<{ scope: "own" | "all"; id: number }>;

export const statement = (ref: StatementRef) =>
  queryOptions({
    queryKey: [...WALLET_KEY, "statement", ref],
    queryFn: ({ signal }) => {
      const own = statementApi.user.statements;
      if (ref.scope === "draft") return readData(own.draft.get({ fetch: { signal } }));
      const query = { id: ref.id };
      return ref.scope === "own"
        ? readData(own.one.get({ query, fetch: { signal } }))
        : readData(statementApi.statements.one.get({ query, fetch: { signal } }));
    },
  });

/** Requests the URL from which the browser downloads a document, written in `lang`. */
export function requestStatement(ref: StatementRef, format: "pdf" | "csv", lang: string): Promise<string> {
  const file = ref.scope === "all" ? statementApi.statements.file : statementApi.user.statements.file;
  return requestDownload(file, { id: ref.scope === "draft" ? "draft" : String(ref.id), format, lang });
}

/** Requests the URL from which the browser downloads everything that changed the balance. */
export const requestMovements = (charges: ChargesBy): Promise<string> =>
  requestDownload(statementApi.user.movements, { charges });

export const billingProfile = queryOptions({
  queryKey: [...WALLET_KEY, "billing-profile"],
  queryFn: ({ signal }) => readData(statementApi.user.billing_profile.get({ fetch: { signal } })),
});

export const saveBillingProfile = (profile: BillingProfile) =>
  readEnvelope(statementApi.user.billing_profile.put(profile));
