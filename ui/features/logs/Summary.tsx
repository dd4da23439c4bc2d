import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import Tooltip from "@mui/material/Tooltip";
import { useTranslation } from "react-i18next";
import type { UsageStat } from "../../../src/domain/logs/usage/usage-sums.ts";
import { amountText, useMoneyFormat } from "../../components/money-format.tsx";
import { compactCount } from "./compact-count.ts";

/** What the rows in the range add up to, and the pace of the last minute. */
export const Summary = ({ stat }: { stat: UsageStat | undefined }) => {
  const { t } = useTranslation();
  const money = useMoneyFormat();
  const failed = stat && stat.count > 0 ? `${((stat.failed / stat.count) * 100).toFixed(1)}%` : "–";
  const chips = [
    ["quota", stat && amountText(stat.quota, money, 6), ""],
    [
      "tokens",
      stat && compactCount(stat.prompt_tokens + stat.completion_tokens),
      exact(stat && stat.prompt_tokens + stat.completion_tokens),
    ],
    ["input", stat && compactCount(stat.prompt_tokens), exact(stat?.prompt_tokens)],
    ["output", stat && compactCount(stat.completion_tokens), exact(stat?.completion_tokens)],
    ["rpm", stat && compactCount(stat.rpm), t("logs.summary.rpmHint")],
    ["tpm", stat && compactCount(stat.tpm), t("logs.summary.tpmHint")],
    ["failed", stat && failed, stat ? `${exact(stat.failed)} / ${exact(stat.count)}` : ""],
  ] as const;
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: "grid",
        gridTemplateColumns: { xs: "repeat(4, auto)", sm: "repeat(7, auto)" },
        justifyContent: { xs: "space-between", sm: "start" },
        rowGap: 2,
      }}
    >
      {chips.map(([name, value, hint]) => (
        <Tooltip key={name} title={hint}>
          <Box
            sx={{
              px: { xs: 0, sm: 4 },
              "&:first-of-type": { pl: 0 },
              "& + &": { borderLeft: { sm: "1px solid" }, borderColor: { sm: "line.main" } },
            }}
          >
            <Box component="dt" sx={{ fontSize: 11.5, lineHeight: "16px", color: "text.tertiary" }}>
              {t(`logs.summary.${name}`)}
            </Box>
            <Box
              component="dd"
              className="num"
              sx={{ m: 0, fontWeight: 600, fontSize: 14, lineHeight: "20px", whiteSpace: "nowrap" }}
            >
              {value ?? <Skeleton variant="rounded" width={56} height={14} sx={{ my: "3px" }} />}
            </Box>
          </Box>
        </Tooltip>
      ))}
    </Box>
  );
};

const exact = (count: number | undefined): string => count?.toLocaleString("en") ?? "";
