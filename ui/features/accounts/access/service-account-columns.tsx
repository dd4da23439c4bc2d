import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import type { ServiceAccount } from "./access-calls.ts";
import { rightsText } from "./access-calls.ts";

/** Whether the token has expired. */
export const isExpired = ({ expires_time: expires }: ServiceAccount): boolean =>
  expires > 0 && expires <= Math.floor(Date.now() / 1000);

/** The columns of the list of service accounts. */
export function useServiceAccountColumns(): readonly Column<ServiceAccount>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { key: "name", head: t("access.accounts.columns.name"), isTitle: true, cell: ({ name }) => name },
      {
        key: "rights",
        head: t("access.rights.title"),
        text: ({ rights }) => rightsText(rights, t),
        cell: ({ rights }) => <span title={rightsText(rights, t)}>{rightsText(rights, t)}</span>,
      },
      {
        key: "token",
        head: t("access.accounts.columns.token"),
        width: 96,
        cell: ({ token_end }) => <code>…{token_end}</code>,
      },
      {
        key: "expires",
        head: t("access.accounts.columns.expires"),
        width: 132,
        isSolid: true,
        cell: (account) =>
          isExpired(account) ? (
            <StatusChip tone="bad">{t("access.accounts.expired")}</StatusChip>
          ) : account.expires_time === 0 ? (
            t("access.accounts.never")
          ) : (
            <TimeAgo seconds={account.expires_time} />
          ),
      },
      {
        key: "used",
        head: t("access.accounts.columns.used"),
        width: 132,
        cell: ({ last_used_time }) => (last_used_time === 0 ? "–" : <TimeAgo seconds={last_used_time} />),
      },
      {
        key: "creator",
        head: t("access.accounts.columns.creator"),
        width: 132,
        cell: ({ created_by }) => created_by || "–",
      },
      {
        key: "created",
        head: t("access.accounts.columns.created"),
        width: 132,
        cell: ({ created_time }) => <TimeAgo seconds={created_time} />,
      },
    ],
    [t],
  );
}
