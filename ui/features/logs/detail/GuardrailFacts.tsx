import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import type { GuardrailNote } from "../../../../src/billing/types.ts";
import { StatusChip, type ToneName } from "../../../components/display/StatusChip.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";

const TONES: Readonly<Record<string, ToneName>> = { block: "bad", mask: "info", route: "info" };

/** What guardrails found in a call, a line each, and what that took: characters held back at a time, and time. */
export const GuardrailFacts = ({ verdicts, held_characters: held, delay_ms: delay }: GuardrailNote) => {
  const { t } = useTranslation();
  const cost = [
    held !== undefined && t("logs.detail.verdicts.held", { characters: formatNumber(held) }),
    delay !== undefined && delay >= 1 && t("logs.detail.verdicts.delay", { time: formatDuration(delay) }),
  ].filter(Boolean);
  return (
    <Box sx={{ display: "flex", flexDirection: "column", gap: 1.5 }}>
      {verdicts.map(({ name, phase, action, shadow, found, failed, ms }, at) => {
        const did = t(`logs.detail.verdicts.${action}`);
        const about = [
          t(`logs.detail.verdicts.${phase}`),
          ...(failed
            ? [t("logs.detail.verdicts.failed", { reason: failed })]
            : found.map(({ type, count }) => `${type} × ${formatNumber(count)}`)),
          ms !== undefined && formatDuration(ms),
        ].filter(Boolean);
        return (
          // Verdicts have no names of their own, and their order stays.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Box key={at} sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 2, rowGap: 0.5 }}>
            <StatusChip tone={shadow ? "warn" : (TONES[action] ?? "idle")} dot={false}>
              {shadow ? t("logs.detail.verdicts.shadow", { action: did }) : did}
            </StatusChip>
            <span>{name}</span>
            <Box component="span" sx={{ color: "text.secondary" }}>
              {about.join(" · ")}
            </Box>
          </Box>
        );
      })}
      {cost.length > 0 && <Box sx={{ color: "text.secondary" }}>{cost.join(" · ")}</Box>}
    </Box>
  );
};
