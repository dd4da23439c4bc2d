import Box from "@mui/material/Box";
import Switch from "@mui/material/Switch";
import { useTranslation } from "react-i18next";
import { useActing } from "../../api/accounts/use-organization.ts";
import {
  DISABLED,
  ENABLED,
  EXHAUSTED,
  EXPIRED,
  effectiveStatus,
  rotationState,
  type Token,
} from "../../api/api-keys/api-key.ts";
import { Money } from "../../components/display/Money.tsx";
import { StatusChip } from "../../components/display/StatusChip.tsx";
import { Col, Row } from "../../components/layout.tsx";
import { Quiet } from "../../components/page/list/column-kinds.tsx";
import { Tip } from "../../components/tip/Tip.tsx";
import { exactTime } from "../../lib/format/time.ts";
import { unusualSpending } from "../alerts/alert-link.ts";
import { Lasts } from "../alerts/Lasts.tsx";
import { KeyCell } from "./KeyCell.tsx";

/** Enables or disables a key. */
export type Toggle = (token: Token) => void;

type ToggleProps = Readonly<{ token: Token; onToggle: Toggle | null }>;

/** The switch of a key and its status. */
export const SwitchCell = ({ token, onToggle }: ToggleProps) => {
  const { t } = useTranslation();
  return (
    <Row gap={2.5}>
      <Box component="span" onClick={(event) => event.stopPropagation()} sx={{ display: "inline-flex" }}>
        <Switch
          checked={token.status === ENABLED}
          disabled={onToggle === null}
          onChange={() => onToggle?.(token)}
          slotProps={{ input: { "aria-label": t("apiKeys.toggle", { name: token.name }) } }}
        />
      </Box>
      <ApiKeyStatus token={token} />
    </Row>
  );
};

type ListedProps = Readonly<{
  names: readonly string[];
  /** The key of their count's text. */
  count: string;
  /** The key of the text without any. */
  none: string;
}>;

/** The count, with all of them on hover. */
export const Listed = ({ names, count, none }: ListedProps) => {
  const { t } = useTranslation();
  if (names.length === 0) return <Quiet>{t(none)}</Quiet>;
  return (
    <Tip title={<Box sx={{ whiteSpace: "pre-line" }}>{names.slice(0, 20).join("\n")}</Box>}>
      <span>{t(count, { count: names.length })}</span>
    </Tip>
  );
};

/** A key on a phone: status, masked key and usage. */
export const TokenCard = ({ token, onToggle }: ToggleProps) => (
  <Col gap={2}>
    <SwitchCell token={token} onToggle={onToggle} />
    <KeyCell token={token} />
    <Box sx={{ fontSize: 12.5 }}>
      <QuotaCell token={token} />
    </Box>
  </Col>
);

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
export const QuotaCell = ({ token }: { token: Token }) => {
  const { t } = useTranslation();
  const { remain_quota: remaining, unlimited_quota: isUnlimited, budget_period: period } = token;
  const used = period === "" ? token.used_quota : Math.max(0, token.budget_quota - remaining);
  const share = used + remaining === 0 ? 0 : used / (used + remaining);
  const { id: organization, may } = useActing();
  const scope = organization === null ? "own" : "organization";
  const alert = (daily: number) =>
    ({ scope, event: "spending", threshold: unusualSpending(daily), per: "key", subject: token.name }) as const;
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
      {!isUnlimited && may("usage.read") && (
        <Lasts of="key" id={token.id} balance={remaining} alert={may("alerts.manage") ? alert : null} />
      )}
    </Col>
  );
};
