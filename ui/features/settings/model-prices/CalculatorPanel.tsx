import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Receipt } from "../../../../src/billing/types.ts";
import { readData } from "../../../api/client.ts";
import { ratioApi } from "../../../api/groups.ts";
import { Money } from "../../../components/display/Money.tsx";
import { Receipt as ReceiptView } from "../../../components/display/Receipt.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { SuggestedInput } from "../../../components/inputs/NameListInput.tsx";
import { Col, Field, Row } from "../../../components/layout.tsx";
import { useSettings } from "../settings-store.tsx";
import { priceRows, readNumberMap } from "./price-maps.ts";
import { usePriceMaps } from "./price-view.ts";
import { NamePicker } from "./rules/ModelPicker.tsx";
import { KNOWN_TIERS } from "./rules/special-prices.ts";

const COUNTS = [
  "prompt_tokens",
  "completion_tokens",
  "cached_tokens",
  "cache_creation_tokens",
  "cache_creation_1h_tokens",
  "audio_input_tokens",
  "audio_output_tokens",
  "image_input_tokens",
  "image_output_tokens",
] as const satisfies readonly (keyof ImaginedUsage)[];
type Counts = Record<(typeof COUNTS)[number], string>;

const START: Counts = {
  prompt_tokens: "1000",
  completion_tokens: "500",
  cached_tokens: "0",
  cache_creation_tokens: "0",
  cache_creation_1h_tokens: "0",
  audio_input_tokens: "0",
  audio_output_tokens: "0",
  image_input_tokens: "0",
  image_output_tokens: "0",
};

const usageOf = (counts: Counts): ImaginedUsage => ({
  prompt_tokens: Number(counts.prompt_tokens),
  completion_tokens: Number(counts.completion_tokens),
  cached_tokens: Number(counts.cached_tokens),
  cache_creation_tokens: Number(counts.cache_creation_tokens),
  cache_creation_1h_tokens: Number(counts.cache_creation_1h_tokens),
  audio_input_tokens: Number(counts.audio_input_tokens),
  audio_output_tokens: Number(counts.audio_output_tokens),
  image_input_tokens: Number(counts.image_input_tokens),
  image_output_tokens: Number(counts.image_output_tokens),
});
const COST_DECIMALS = 6;

const isCount = (text: string): boolean => /^\d{1,9}$/.test(text.trim());

/** What a call would cost with the saved prices, computed by the server's pricing. */
export const CalculatorPanel = () => {
  const { t } = useTranslation();
  const id = useId();
  const { values } = useSettings();
  const { saved } = usePriceMaps();
  const groups = Object.keys(readNumberMap(values.GroupRatio ?? "{}") ?? {});
  const models = "invalid" in saved ? [] : priceRows(saved).map(({ name }) => name);
  const [model, setModel] = useState("");
  const [group, setGroup] = useState(groups[0] ?? "default");
  const [tier, setTier] = useState("");
  const [counts, setCounts] = useState(START);
  const isWrong = COUNTS.some((name) => !isCount(counts[name]));
  const preview = useMutation({
    mutationFn: () => {
      const usage = usageOf(counts);
      return previewCharge(model.trim(), group, tier, usage).then((result) => ({ ...result, group }));
    },
    onError: notifyError,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (model.trim() === "" || isWrong) notifyError(t("settings.calculator.incomplete"));
    else preview.mutate();
  };
  return (
    <Col gap={4} sx={{ maxWidth: 720 }}>
      <form onSubmit={submit} noValidate>
        <Box sx={{ display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(160px, 1fr))", gap: 4 }}>
          <Field label={t("settings.pricing.columns.name")} htmlFor={`${id}model`} sx={{ gridColumn: "1 / -1" }}>
            <SuggestedInput id={`${id}model`} options={models} value={model} onChange={setModel} />
          </Field>
          <Field label={t("settings.calculator.group")} htmlFor={`${id}group`}>
            <Select
              fullWidth
              value={group}
              SelectDisplayProps={{ id: `${id}group`, "aria-label": t("settings.calculator.group") }}
              onChange={(event) => setGroup(event.target.value)}
            >
              {groups.map((name) => (
                <MenuItem key={name} value={name}>
                  {name}
                </MenuItem>
              ))}
            </Select>
          </Field>
          <Field label={t("settings.serviceTiers.tier")} htmlFor={`${id}tier`}>
            <NamePicker
              id={`${id}tier`}
              names={KNOWN_TIERS}
              value={tier}
              label={t("settings.serviceTiers.tier")}
              onChange={(text) => setTier(text.toLowerCase())}
            />
          </Field>
          {COUNTS.map((name) => (
            <Field key={name} label={t(`settings.calculator.counts.${name}`)} htmlFor={id + name}>
              <OutlinedInput
                id={id + name}
                fullWidth
                value={counts[name]}
                error={!isCount(counts[name])}
                onChange={(event) => setCounts({ ...counts, [name]: event.target.value })}
                inputProps={{ inputMode: "numeric", className: "num" }}
              />
            </Field>
          ))}
        </Box>
        <Row sx={{ mt: 4 }}>
          <Button type="submit" loading={preview.isPending}>
            {t("settings.calculator.action")}
          </Button>
        </Row>
      </form>
      {preview.data && <Result preview={preview.data} group={preview.data.group} />}
    </Col>
  );
};

const Result = ({ preview, group }: { preview: ChargePreview; group: string }) => {
  const { t } = useTranslation();
  return (
    <Col gap={3}>
      {preview.is_unset && (
        <Box
          sx={{ fontSize: 12.5, px: 3, py: 2, borderRadius: "6px", bgcolor: "tone.warn.tint", color: "tone.warn.text" }}
        >
          {t("settings.calculator.unset")}
        </Box>
      )}
      <Row gap={2} sx={{ fontSize: 13 }}>
        <span>{t("settings.calculator.cost")}</span>
        <Money quota={preview.quota} decimals={COST_DECIMALS} strong />
      </Row>
      <ReceiptView receipt={preview.receipt} group={group} reserved={preview.held} />
    </Col>
  );
};

/** Token counts of the call's usage. */
type ImaginedUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  cache_creation_tokens: number;
  /** Part of `cache_creation_tokens`. */
  cache_creation_1h_tokens: number;
  audio_input_tokens: number;
  audio_output_tokens: number;
  image_input_tokens: number;
  image_output_tokens: number;
};

type ChargePreview = {
  kind: "per_token" | "per_call";
  is_unset: boolean;
  /** Quota units. */
  quota: number;
  /** Quota units. */
  held: number;
  receipt: Receipt;
};

const previewCharge = (model: string, group: string, tier: string, usage: ImaginedUsage): Promise<ChargePreview> =>
  readData(ratioApi.preview.post({ model, group, service_tier: tier, ...usage }));
