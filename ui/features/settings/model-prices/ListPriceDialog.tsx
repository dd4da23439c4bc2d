import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import Link from "@mui/material/Link";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { readData } from "../../../api/client.ts";
import { modelApi } from "../../../api/groups.ts";
import { notifyInfo } from "../../../components/feedback/notify.tsx";
import { SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { Row } from "../../../components/layout.tsx";
import { useSettings } from "../settings-store.tsx";
import {
  type PriceDifference,
  type PriceMaps,
  priceDifferences,
  readPriceMaps,
  withDifferences,
} from "./price-maps.ts";
import type { usePriceMaps } from "./price-view.ts";

type ListPriceDialogProps = Readonly<{
  prices: ReturnType<typeof usePriceMaps>;
  maps: PriceMaps;
  onClose: () => void;
}>;

const idOf = ({ key, model }: PriceDifference): string => `${key}/${model}`;

/** Compares the prices with the list prices of this release, and applies the selected ones. */
export const ListPriceDialog = ({ prices, maps, onClose }: ListPriceDialogProps) => {
  const { t } = useTranslation();
  const { defaults } = useSettings();
  const sources = useQuery(listPriceSources).data;
  const sourceOf = useMemo(
    () => new Map(sources?.flatMap((source) => source.models.map((model) => [model, source] as const))),
    [sources],
  );
  const [differences] = useState(() => {
    const list = readPriceMaps((key) => defaults[key] ?? "{}");
    return "invalid" in list ? [] : priceDifferences(maps, list);
  });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(differences.map(idOf)));
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const apply = () => {
    const taken = differences.filter((difference) => chosen.has(idOf(difference)));
    prices.apply(withDifferences(maps, taken));
    notifyInfo(t("settings.pricing.list.applied", { count: taken.length }));
    onClose();
  };
  return (
    <SideDrawer
      title={t("settings.pricing.list.title")}
      subtitle={t("settings.pricing.list.purpose")}
      onClose={onClose}
      footer={(close) => (
        <>
          <Box sx={{ flex: 1 }} />
          <Button onClick={close}>{t("components.cancel")}</Button>
          <Button variant="contained" color="primary" disabled={chosen.size === 0} onClick={apply}>
            {t("settings.pricing.list.apply", { count: chosen.size })}
          </Button>
        </>
      )}
    >
      {differences.length === 0 && <Box role="status">{t("settings.pricing.list.same")}</Box>}
      {differences.length > 0 && (
        <Row gap={2} sx={{ mb: 3 }}>
          <Button size="small" onClick={() => setChosen(new Set(differences.map(idOf)))}>
            {t("settings.pricing.list.all")}
          </Button>
          <Button size="small" onClick={() => setChosen(new Set())}>
            {t("settings.pricing.list.none")}
          </Button>
          <Button
            size="small"
            onClick={() => setChosen(new Set(differences.filter(({ before }) => before === null).map(idOf)))}
          >
            {t("settings.pricing.list.missing")}
          </Button>
        </Row>
      )}
      {differences.map((difference) => {
        const id = idOf(difference);
        const source = sourceOf.get(difference.model);
        return (
          <Row
            key={id}
            gap={2}
            sx={{ py: 1, borderBottom: "1px solid", borderColor: "line.faint", contentVisibility: "auto" }}
          >
            <Checkbox
              size="small"
              checked={chosen.has(id)}
              onChange={() => toggle(id)}
              slotProps={{
                input: { "aria-label": `${difference.model} ${t(`settings.fields.${difference.key}.label`)}` },
              }}
            />
            <Box sx={{ flex: 1, minWidth: 0 }}>
              <Box sx={{ fontSize: 13, overflowWrap: "anywhere" }}>{difference.model}</Box>
              <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{t(`settings.fields.${difference.key}.label`)}</Box>
              {source && (
                <Box sx={{ fontSize: 12, color: "text.tertiary", overflowWrap: "anywhere" }}>
                  {t("settings.pricing.list.asOf", { provider: source.provider, date: source.as_of })}{" "}
                  {source.sources.map((address) => (
                    <Link key={address} href={address} target="_blank" rel="noreferrer" sx={{ mr: 1 }}>
                      {new URL(address).host}
                    </Link>
                  ))}
                </Box>
              )}
            </Box>
            <Box className="num" sx={{ fontSize: 13, whiteSpace: "nowrap" }}>
              <Box component="span" sx={{ color: "text.tertiary" }}>
                {difference.before ?? t("settings.pricing.list.unset")}
              </Box>
              {" → "}
              <b>{difference.after}</b>
            </Box>
          </Row>
        );
      })}
    </SideDrawer>
  );
};

/** Sources and dates of this release's list prices. */
const listPriceSources = queryOptions({
  queryKey: ["list-price-sources"],
  queryFn: ({ signal }) => readData(modelApi.channel.list_prices.get({ fetch: { signal } })),
  staleTime: Number.POSITIVE_INFINITY,
});
