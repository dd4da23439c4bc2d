import RestartAlt from "@mui/icons-material/RestartAltOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Tab from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { readData, readEnvelope } from "../../../api/client.ts";
import { modelApi, optionApi } from "../../../api/groups.ts";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { SettingInput } from "../fields/SettingInput.tsx";
import { options } from "../option-calls.ts";
import { useSettings } from "../settings-store.tsx";
import { PriceTable } from "./PriceTable.tsx";
import { modelsWithoutPrice, PRICE_OPTIONS, type PriceMaps } from "./price-maps.ts";
import { PRICE_VIEWS, type PriceViewName, usePriceMaps, usePriceView } from "./price-view.ts";
import { PriceHoursEditor } from "./rules/PriceHoursEditor.tsx";
import { ServiceTierEditor } from "./rules/ServiceTierEditor.tsx";
import { TierEditor } from "./rules/TierEditor.tsx";
import { UnsetModels } from "./UnsetModels.tsx";

/** Model prices: as a table, as JSON, and the models without a price. */
export const PricingPanel = () => {
  const { t } = useTranslation();
  const { name: view, address } = usePriceView();
  const prices = usePriceMaps();
  const models = useQuery(servedModels).data ?? [];
  const { edited, saved } = prices;
  const unset = "invalid" in edited ? [] : modelsWithoutPrice(models, edited);
  // A model stays in its row while its prices are typed.
  const unsaved = "invalid" in saved ? unset : modelsWithoutPrice(models, saved);
  return (
    <Col gap={4}>
      <Row wrap sx={{ rowGap: 2, justifyContent: "space-between" }}>
        <Tabs
          value={view}
          onChange={(_, next: PriceViewName) =>
            address.set({ prices: next === "visual" ? undefined : next, p: undefined })
          }
          aria-label={t("settings.sections.pricing.title")}
          variant="scrollable"
        >
          {PRICE_VIEWS.map((name) => (
            <Tab
              key={name}
              value={name}
              label={
                <span>
                  {t(`settings.pricing.views.${name}`)}
                  {name === "unset" && unset.length > 0 && (
                    <Box component="span" className="num" sx={{ ml: 1.5, color: "tone.warn.text" }}>
                      {unset.length}
                    </Box>
                  )}
                </span>
              }
            />
          ))}
        </Tabs>
        <ResetButton />
      </Row>
      {view === "json" &&
        PRICE_OPTIONS.map((key) => <SettingInput key={key} field={{ key, kind: "json", shape: "object" }} />)}
      {view !== "json" && "invalid" in edited && (
        <Box role="alert" sx={{ p: 4, borderRadius: 1, bgcolor: "tone.bad.tint", color: "tone.bad.text" }}>
          {t("settings.pricing.invalid", { name: t(`settings.fields.${edited.invalid}.label`) })}
        </Box>
      )}
      {view === "visual" && !("invalid" in edited) && (
        <>
          <PriceTable prices={prices} maps={edited} />
          <SettingInput field={{ key: "PriceByUpstreamModel", kind: "switch" }} />
          <TierEditor models={Object.keys(edited.ModelRatio)} />
          <ServiceTierEditor models={namesOf(edited)} />
          <PriceHoursEditor models={namesOf(edited)} />
        </>
      )}
      {view === "unset" && !("invalid" in edited) && <UnsetModels prices={prices} maps={edited} models={unsaved} />}
    </Col>
  );
};

/** Models with a price of any kind. */
const namesOf = ({ ModelRatio, ModelPrice }: PriceMaps): string[] => [
  ...new Set([...Object.keys(ModelRatio), ...Object.keys(ModelPrice)]),
];

const ResetButton = () => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const client = useQueryClient();
  const { discard } = useSettings();
  const reset = useMutation({
    mutationFn: resetModelRatio,
    onSuccess: async ({ message }) => {
      await client.invalidateQueries(options);
      discard(["ModelRatio"]);
      notifyDone(message);
    },
    onError: notifyError,
  });
  const ask = async () => {
    const question = {
      title: t("settings.pricing.reset.title"),
      body: t("settings.pricing.reset.body"),
      action: t("settings.pricing.reset.action"),
      isDangerous: true,
    };
    if (await confirm(question)) reset.mutate();
  };
  return (
    <Button variant="text" startIcon={<RestartAlt />} loading={reset.isPending} onClick={() => void ask()}>
      {t("settings.pricing.reset.action")}
    </Button>
  );
};

/** Every model that an enabled channel serves, with its upstream names. */
const servedModels = queryOptions({
  queryKey: ["served-models"],
  queryFn: ({ signal }) => readData(modelApi.channel.models_served.get({ fetch: { signal } })),
});

const resetModelRatio = () => readEnvelope(optionApi.rest_model_ratio.post());
