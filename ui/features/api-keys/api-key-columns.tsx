import Box from "@mui/material/Box";
import Switch from "@mui/material/Switch";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { type Member, members } from "../../api/accounts/organization-calls.ts";
import { useActing } from "../../api/accounts/use-organization.ts";
import {
  DISABLED,
  ENABLED,
  EXHAUSTED,
  EXPIRED,
  effectiveStatus,
  NEVER,
  rotationState,
  type Token,
} from "../../api/api-keys/api-key.ts";
import type { Column } from "../../components/data-table/column.ts";
import { Money } from "../../components/display/Money.tsx";
import { StatusChip } from "../../components/display/StatusChip.tsx";
import { GroupTag } from "../../components/display/Tag.tsx";
import { TimeAgo } from "../../components/display/TimeAgo.tsx";
import { Col, Row } from "../../components/layout.tsx";
import { Tip } from "../../components/tip/Tip.tsx";
import { exactTime } from "../../lib/format/time.ts";
import { KeyCell } from "./KeyCell.tsx";

/** The columns of the list of keys. */
export function useTokenColumns(toggle: Toggle | null): readonly Column<Token>[] {
  const { t } = useTranslation();
  const { id } = useActing();
  const { data } = useQuery({ ...members(id ?? 0), enabled: id !== null });
  return useMemo(
    () => (id === null ? columnsOf(toggle, t) : [...columnsOf(toggle, t), authorColumn(data ?? [], t)]),
    [toggle, t, id, data],
  );
}

/** Enables or disables a key. */
type Toggle = (token: Token) => void;

/** Who created a key of an organization. */
const authorColumn = (people: readonly Member[], t: TFunction): Column<Token> => ({
  key: "author",
  head: t("apiKeys.columns.author"),
  width: 120,
  cell: ({ created_by }) =>
    people.find(({ user_id }) => user_id === created_by)?.username ?? quiet(t("apiKeys.formerMember")),
});

const columnsOf = (toggle: Toggle | null, t: TFunction): readonly Column<Token>[] => [
  {
    key: "name",
    head: t("apiKeys.columns.name"),
    sortKey: "name",
    isTitle: true,
    cell: ({ name }) => (
      <Box component="span" title={name} sx={{ fontWeight: 560 }}>
        {name}
      </Box>
    ),
  },
  { key: "key", head: t("apiKeys.columns.key"), width: 172, isSolid: true, cell: (token) => <KeyCell token={token} /> },
  {
    key: "status",
    head: t("apiKeys.columns.status"),
    sortKey: "status",
    width: 172,
    isSolid: true,
    cell: (token) => (
      <Row gap={2.5}>
        <Box component="span" onClick={(event) => event.stopPropagation()} sx={{ display: "inline-flex" }}>
          <Switch
            checked={token.status === ENABLED}
            disabled={toggle === null}
            onChange={() => toggle?.(token)}
            slotProps={{ input: { "aria-label": t("apiKeys.toggle", { name: token.name }) } }}
          />
        </Box>
        <ApiKeyStatus token={token} />
      </Row>
    ),
  },
  {
    key: "quota",
    head: t("apiKeys.columns.quota"),
    sortKey: "used_quota",
    width: 192,
    isSolid: true,
    cell: (token) => <QuotaCell token={token} />,
  },
  {
    key: "remaining",
    head: t("apiKeys.columns.remaining"),
    sortKey: "remain_quota",
    width: 100,
    align: "right",
    isHiddenByDefault: true,
    cell: ({ unlimited_quota, remain_quota }) =>
      unlimited_quota ? quiet(t("apiKeys.unlimited")) : <Money quota={remain_quota} />,
  },
  {
    key: "group",
    head: t("apiKeys.columns.group"),
    sortKey: "group",
    width: 96,
    cell: ({ group }) =>
      group ? group.split(",").map((name) => <GroupTag key={name} group={name} />) : quiet(t("apiKeys.ownGroup")),
  },
  {
    key: "models",
    head: t("apiKeys.columns.models"),
    width: 84,
    cell: (token) =>
      listed(
        token.model_limits_enabled ? token.model_limits.split(",") : [],
        "apiKeys.modelCount",
        t("apiKeys.allModels"),
        t,
      ),
  },
  {
    key: "ips",
    head: t("apiKeys.columns.ips"),
    width: 104,
    isHiddenByDefault: true,
    cell: ({ allow_ips }) => listed(allow_ips.split("\n").filter(Boolean), "apiKeys.ipCount", t("apiKeys.anyIp"), t),
  },
  {
    key: "expires",
    head: t("apiKeys.columns.expires"),
    sortKey: "expired_time",
    width: 100,
    cell: ({ expired_time }) =>
      expired_time === NEVER ? quiet(t("apiKeys.never")) : <TimeAgo seconds={expired_time} />,
  },
  {
    key: "lastUsed",
    head: t("apiKeys.columns.lastUsed"),
    sortKey: "accessed_time",
    width: 100,
    cell: ({ accessed_time }) => (accessed_time ? <TimeAgo seconds={accessed_time} /> : quiet(t("apiKeys.neverUsed"))),
  },
  {
    key: "created",
    head: t("apiKeys.columns.created"),
    sortKey: "created_time",
    width: 104,
    isHiddenByDefault: true,
    cell: ({ created_time }) => <TimeAgo seconds={created_time} />,
  },
  {
    key: "rotated",
    head: t("apiKeys.columns.rotated"),
    sortKey: "secret_time",
    width: 128,
    isHiddenByDefault: true,
    cell: ({ secret_time }) => <TimeAgo seconds={secret_time} />,
  },
];

const quiet = (text: string): ReactNode => (
  <Box component="span" sx={{ color: "text.tertiary" }}>
    {text}
  </Box>
);

/** The count, with all of them on hover. */
function listed(names: readonly string[], countKey: string, none: string, t: TFunction): ReactNode {
  if (names.length === 0) return quiet(none);
  return (
    <Tip title={<Box sx={{ whiteSpace: "pre-line" }}>{names.slice(0, 20).join("\n")}</Box>}>
      <span>{t(countKey, { count: names.length })}</span>
    </Tip>
  );
}

/** A key on a phone: status, masked key and usage. */
export const TokenCard = ({ token, onToggle }: { token: Token; onToggle: Toggle | null }) => {
  const { t } = useTranslation();
  return (
    <Col gap={2}>
      <Row gap={2.5}>
        <Switch
          checked={token.status === ENABLED}
          disabled={onToggle === null}
          onChange={() => onToggle?.(token)}
          slotProps={{ input: { "aria-label": t("apiKeys.toggle", { name: token.name }) } }}
        />
        <ApiKeyStatus token={token} />
      </Row>
      <KeyCell token={token} />
      <Box sx={{ fontSize: 12.5 }}>
        <QuotaCell token={token} />
      </Box>
    </Col>
  );
};

/** The status of a key. */
const ApiKeyStatus = ({ token }: { token: Token }) => {
  const { t, i18n } = useTranslation();
  if (token.leak) {
    const time = exactTime(token.leak.time, i18n.language);
    return (
      <StatusChip
        tone="bad"
        reason={[
          token.leak.url
            ? t("apiKeys.reason.leakedAt", { time, url: token.leak.url })
            : t("apiKeys.reason.leaked", { time }),
          t("apiKeys.reason.leakedNext"),
        ].join(" ")}
      >
        {t("apiKeys.status.leaked")}
      </StatusChip>
    );
  }
  const now = Date.now() / 1000;
  const status = effectiveStatus(token, now);
  const rotation = status === ENABLED && rotationState(token, now);
  if (rotation && token.rotation) {
    const { policy, due } = token.rotation;
    const isOverdue = rotation === "overdue";
    return (
      <StatusChip
        tone={isOverdue ? "bad" : "warn"}
        reason={t(isOverdue ? "apiKeys.reason.rotationOverdue" : "apiKeys.reason.rotationSoon", {
          policy,
          time: exactTime(due, i18n.language),
        })}
      >
        {t(isOverdue ? "apiKeys.status.rotationOverdue" : "apiKeys.status.rotationSoon")}
      </StatusChip>
    );
  }
  switch (status) {
    case DISABLED:
      return <StatusChip tone="idle">{t("apiKeys.status.disabled")}</StatusChip>;
    case EXPIRED:
      return (
        <StatusChip tone="warn" reason={t("apiKeys.reason.expired")}>
          {t("apiKeys.status.expired")}
        </StatusChip>
      );
    case EXHAUSTED:
      return (
        <StatusChip tone="bad" reason={t("apiKeys.reason.exhausted")}>
          {t("apiKeys.status.exhausted")}
        </StatusChip>
      );
    default:
      return (
        <StatusChip tone="ok" quiet>
          {token.model_limits_enabled ? t("apiKeys.status.limited") : t("apiKeys.status.enabled")}
        </StatusChip>
      );
  }
};

const NEARLY_USED_UP = 0.9;

/** Used and total quota of a key, as a bar and numbers. */
const QuotaCell = ({ token }: { token: Token }) => {
  const { t } = useTranslation();
  const { remain_quota: remaining, unlimited_quota: isUnlimited, budget_period: period } = token;
  const used = period === "" ? token.used_quota : Math.max(0, token.budget_quota - remaining);
  const share = used + remaining === 0 ? 0 : used / (used + remaining);
  return (
    <Col gap={1} sx={{ maxWidth: 168 }}>
      <span>
        <Money quota={used} />
        <Box component="span" sx={{ color: "text.tertiary" }}>
          {" / "}
          {isUnlimited ? t("apiKeys.unlimited") : <Money quota={used + remaining} />}
          {period !== "" && ` ${t(`apiKeys.periodQuota.${period}`)}`}
        </Box>
      </span>
      {!isUnlimited && (
        <Box
          aria-hidden
          sx={{
            height: 4,
            borderRadius: 2,
            bgcolor: "tone.idle.tint",
            overflow: "hidden",
          }}
        >
          <Box
            sx={{
              width: `${share * 100}%`,
              height: "100%",
              bgcolor: share >= NEARLY_USED_UP ? "tone.bad.solid" : "primary.main",
            }}
          />
        </Box>
      )}
    </Col>
  );
};
