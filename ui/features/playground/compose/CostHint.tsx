import Box from "@mui/material/Box";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useModelPrices } from "../../../api/models/model-prices.ts";
import { priceGroups, ratioFor } from "../../../api/models/pricing.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { useSession } from "../../../state/session.ts";
import type { ChatSettings, Turn } from "../chat/chat.ts";
import { bodyOf } from "../chat/chat-body.ts";
import { type CostEstimate, estimateCost } from "../chat/estimate.ts";

const DECIMALS = 6;

/** What the question would cost with each chosen model; nothing while there is no price to say. `turns` end with the question. */
export const CostHint = ({ settings, turns }: { settings: ChatSettings; turns: readonly Turn[] }) => {
  const { t } = useTranslation();
  const { user } = useSession();
  const format = useMoneyFormat();
  const { data } = useQuery(priceGroups(user?.id));
  const prices = useModelPrices(settings.models, user?.id);
  if (!data) return null;
  const money = (quota: number) => amountText(quota, format, DECIMALS);
  const textOf = (cost: CostEstimate): string => {
    if (cost.kind === "call") return t("playground.estimate.call", { price: money(cost.quota) });
    const input = t("playground.estimate.input", {
      tokens: formatNumber(cost.inputTokens),
      price: money(cost.input),
    });
    const output = cost.most
      ? t("playground.estimate.most", { tokens: formatNumber(cost.most.outputTokens), price: money(cost.most.quota) })
      : t("playground.estimate.output", { price: money(cost.perThousand) });
    return `${input} · ${output}`;
  };
  const group = settings.group || data.group;
  const limit = Number(settings.parameters.max_tokens ?? 0);
  const lines = settings.models.flatMap((name, lane) => {
    const model = prices.get(name);
    const { messages } = bodyOf(settings, turns, lane);
    const cost =
      model &&
      estimateCost(model, messages, limit, ratioFor(model, group, data.group_ratio[group]), format.quotaPerUnit);
    return cost ? [{ name, text: textOf(cost), lane }] : [];
  });
  return lines.map(({ name, text, lane }) => (
    <Box key={lane} className="num" sx={{ fontSize: 12, lineHeight: "16px", color: "text.tertiary" }}>
      {settings.models.length > 1 ? `${name}: ${text}` : text}
    </Box>
  ));
};
