import Box from "@mui/material/Box";
import type { TFunction } from "i18next";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { Row } from "../../../components/layout.tsx";
import { type Code, DISABLED, isSpent, UNLIMITED, UNUSED, windowState } from "./code.ts";

/** The columns of the list of codes. */
export function useCodeColumns(): readonly Column<Code>[] {
  const { t } = useTranslation();
  return useMemo(() => columnsOf(t), [t]);
}

const columnsOf = (t: TFunction): readonly Column<Code>[] => [
  {
    key: "id",
    head: t("codes.columns.id"),
    sortKey: "id",
    width: 64,
    isHiddenByDefault: true,
    cell: ({ id }) => quiet(id),
  },
  {
    key: "name",
    head: t("codes.columns.name"),
    sortKey: "name",
    isTitle: true,
    cell: ({ name, is_gift }) => (
      <Row gap={2}>
        <Box component="span" title={name} sx={{ fontWeight: 560, overflow: "hidden", textOverflow: "ellipsis" }}>
          {name}
        </Box>
        {is_gift && <Tag>{t("codes.gift")}</Tag>}
      </Row>
    ),
  },
  {
    key: "key",
    head: t("codes.columns.key"),
    width: 172,
    isSolid: true,
    cell: ({ key, name }) => (
      <Row gap={1}>
        <Box component="code" title={key} sx={{ fontSize: 12 }}>
          {key.length > 14 ? `${key.slice(0, 7)}…${key.slice(-4)}` : key}
        </Box>
        <Box component="span" onClick={(event) => event.stopPropagation()}>
          <CopyButton text={key} label={t("codes.copyOne", { name })} />
        </Box>
      </Row>
    ),
  },
  {
    key: "status",
    head: t("codes.columns.status"),
    sortKey: "status",
    width: 132,
    isSolid: true,
    cell: (code) => <CodeStatus code={code} />,
  },
  {
    key: "quota",
    head: t("codes.columns.quota"),
    sortKey: "quota",
    width: 104,
    align: "right",
    cell: (code) => worthOf(code),
  },
  {
    key: "uses",
    head: t("codes.columns.uses"),
    sortKey: "used_count",
    width: 96,
    align: "right",
    cell: (code) => usesOf(code),
  },
  {
    key: "usedBy",
    head: t("codes.columns.usedBy"),
    width: 132,
    cell: ({ is_gift, used_user_id, used_username }) =>
      used_user_id ? `${used_username} (#${used_user_id})` : quiet(is_gift ? "–" : t("codes.nobody")),
  },
  {
    key: "redeemed",
    head: t("codes.columns.redeemed"),
    sortKey: "redeemed_time",
    width: 104,
    cell: ({ redeemed_time }) => (redeemed_time ? <TimeAgo seconds={redeemed_time} /> : quiet("–")),
  },
  {
    key: "from",
    head: t("codes.columns.from"),
    sortKey: "valid_from",
    width: 104,
    isHiddenByDefault: true,
    cell: ({ valid_from }) => (valid_from ? <TimeAgo seconds={valid_from} /> : quiet(t("codes.atOnce"))),
  },
  {
    key: "until",
    head: t("codes.columns.until"),
    sortKey: "valid_until",
    width: 104,
    cell: ({ valid_until }) => (valid_until ? <TimeAgo seconds={valid_until} /> : quiet(t("codes.never"))),
  },
  {
    key: "created",
    head: t("codes.columns.created"),
    sortKey: "created_time",
    width: 104,
    cell: ({ created_time }) => <TimeAgo seconds={created_time} />,
  },
];

/** A plan for one period, or quota. */
const worthOf = ({ plan_name: plan, quota }: Code): ReactNode => plan ?? <Money quota={quota} />;

const usesOf = ({ is_gift, used_count, max_uses, status }: Code): ReactNode => {
  if (!is_gift) return `${status === 3 ? 1 : 0} / 1`;
  return `${used_count} / ${max_uses === UNLIMITED ? "∞" : max_uses}`;
};

const quiet = (text: ReactNode): ReactNode => (
  <Box component="span" className="num" sx={{ color: "text.tertiary" }}>
    {text}
  </Box>
);

/** A code on a phone: status and value. */
export const CodeCard = ({ code }: { code: Code }) => (
  <Row sx={{ justifyContent: "space-between" }}>
    <CodeStatus code={code} />
    {worthOf(code)}
  </Row>
);

/** Whether a code can be redeemed, and if not, why. */
const CodeStatus = ({ code }: { code: Code }) => {
  const { t } = useTranslation();
  if (code.status === DISABLED) return <StatusChip tone="bad">{t("codes.status.disabled")}</StatusChip>;
  if (code.status !== UNUSED || isSpent(code))
    return <StatusChip tone="idle">{t(code.is_gift ? "codes.status.usedUp" : "codes.status.used")}</StatusChip>;
  const state = windowState(code, Date.now() / 1000);
  if (state !== "open") return <StatusChip tone="warn">{t(`codes.status.${state}`)}</StatusChip>;
  return (
    <StatusChip tone="ok" quiet>
      {t("codes.status.unused")}
    </StatusChip>
  );
};
