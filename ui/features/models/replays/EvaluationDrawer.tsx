import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Section, SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { NameListInput } from "../../../components/inputs/NameListInput.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { ModelInput } from "../ModelInput.tsx";
import {
  checkEvaluation,
  EMPTY_EVALUATION,
  type EvaluationForm,
  evaluationOf,
  type ReplaySetView,
  replaySets,
  startEvaluation,
} from "./replay-form.ts";

type Props = Readonly<{ set: ReplaySetView; onClose: () => void }>;

/** Replays a set against a target. */
export const EvaluationDrawer = ({ set, onClose }: Props) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const id = useId();
  const { body, form, change, faults, isSaving, submit } = useCheckedForm({
    initial: EMPTY_EVALUATION,
    check: (values: EvaluationForm) => checkEvaluation(values),
    send: async (values) => {
      const parts = [
        values.model.trim() || t("replays.form.pricesOnly"),
        ...values.channelTags,
        ...(values.hasPrompt ? [t("replays.form.prompt")] : []),
      ];
      await startEvaluation(evaluationOf(set.id, parts.join(" · ").slice(0, 100), values));
      void client.invalidateQueries(replaySets);
      onClose();
    },
  });
  const error = (field: "model" | "priceInput" | "maxUsd" | "concurrent") =>
    faults[field] &&
    t(field === "model" || field === "priceInput" ? `replays.form.${field}Error` : "replays.countError");
  return (
    <SideDrawer
      title={t("replays.form.title", { name: set.name })}
      onClose={onClose}
      footer={(close) => (
        <>
          <Box sx={{ flex: 1 }} />
          <Button onClick={close}>{t("components.cancel")}</Button>
          <Button variant="contained" color="primary" loading={isSaving} onClick={submit}>
            {t("replays.form.start")}
          </Button>
        </>
      )}
    >
      <Box ref={body}>
        <Section title={t("replays.form.target")} hint={t("replays.form.targetHint")}>
          <ModelInput
            label={t("replays.form.model")}
            hint={t("replays.form.modelHint")}
            value={form.model}
            error={error("model")}
            onChange={(model) => change({ model })}
          />
          <Field label={t("routes.form.channelTags")} htmlFor={`${id}tags`} hint={t("routes.form.channelTagsHint")}>
            <NameListInput
              id={`${id}tags`}
              value={form.channelTags}
              options={[]}
              placeholder={t("routes.form.channelTagsPlaceholder")}
              onChange={(channelTags) => change({ channelTags })}
            />
          </Field>
          <SwitchRow
            label={t("replays.form.hasPrompt")}
            hint={t("replays.form.hasPromptHint")}
            isOn={form.hasPrompt}
            onChange={(hasPrompt) => change({ hasPrompt })}
          />
          {form.hasPrompt && (
            <Field label={t("replays.form.prompt")} htmlFor={`${id}prompt`}>
              <OutlinedInput
                id={`${id}prompt`}
                fullWidth
                multiline
                minRows={3}
                maxRows={12}
                value={form.systemPrompt}
                onChange={(event) => change({ systemPrompt: event.target.value })}
              />
            </Field>
          )}
        </Section>
        <Section title={t("replays.form.prices")} hint={t("replays.form.pricesHint")}>
          <Row gap={3} sx={{ alignItems: "flex-start" }}>
            <LabelledInput
              label={t("replays.form.input")}
              value={form.priceInput}
              error={error("priceInput")}
              onChange={(priceInput) => change({ priceInput })}
            />
            <LabelledInput
              label={t("replays.form.output")}
              value={form.priceOutput}
              onChange={(priceOutput) => change({ priceOutput })}
            />
            <LabelledInput
              label={t("replays.form.cached")}
              value={form.priceCached}
              onChange={(priceCached) => change({ priceCached })}
            />
          </Row>
        </Section>
        <Section title={t("replays.form.judging")} hint={t("replays.form.judgingHint")}>
          <ModelInput label={t("experiments.form.judge")} value={form.judge} onChange={(judge) => change({ judge })} />
          {form.judge !== "" && (
            <LabelledInput
              label={t("experiments.form.instructions")}
              value={form.instructions}
              maxCharacters={4_000}
              onChange={(instructions) => change({ instructions })}
            />
          )}
        </Section>
        <Section title={t("replays.form.limits")} hint={t("replays.form.limitsHint")}>
          <Row gap={3} sx={{ alignItems: "flex-start" }}>
            <LabelledInput
              label={t("replays.form.maxUsd")}
              value={form.maxUsd}
              error={error("maxUsd")}
              onChange={(maxUsd) => change({ maxUsd })}
            />
            <LabelledInput
              label={t("replays.form.concurrent")}
              value={form.concurrent}
              error={error("concurrent")}
              onChange={(concurrent) => change({ concurrent })}
            />
          </Row>
        </Section>
      </Box>
    </SideDrawer>
  );
};
