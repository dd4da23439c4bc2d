import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { NameListInput } from "../../../components/inputs/NameListInput.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { ModelInput } from "../ModelInput.tsx";
import { EXPERIMENT_MODES, type ExperimentForm } from "./experiment-form.ts";

type Props = Readonly<{
  form: ExperimentForm;
  error: string | undefined;
  onChange: (fields: Partial<ExperimentForm>) => void;
}>;

/** A new model or channel that a route tries. */
export const RouteExperiment = ({ form, error, onChange }: Props) => {
  const { t } = useTranslation();
  const id = useId();
  return (
    <>
      <Field label={t("experiments.form.mode")} hint={t(`experiments.form.modeHints.${form.mode}`)}>
        <Select
          fullWidth
          value={form.mode}
          SelectDisplayProps={{ "aria-label": t("experiments.form.mode") }}
          onChange={(event) => onChange({ mode: event.target.value })}
        >
          {EXPERIMENT_MODES.map((mode) => (
            <MenuItem key={mode} value={mode}>
              {t(`experiments.modes.${mode}`)}
            </MenuItem>
          ))}
        </Select>
      </Field>
      {form.mode !== "off" && (
        <>
          <Row gap={3} sx={{ alignItems: "flex-start" }}>
            <ModelInput
              label={t("experiments.form.model")}
              value={form.candidate.model}
              error={error}
              onChange={(model) => onChange({ candidate: { ...form.candidate, model } })}
            />
            <LabelledInput
              label={t("experiments.form.percent")}
              value={form.percent}
              onChange={(percent) => onChange({ percent })}
            />
          </Row>
          <Field label={t("routes.form.channelTags")} htmlFor={`${id}tags`} hint={t("routes.form.channelTagsHint")}>
            <NameListInput
              id={`${id}tags`}
              value={form.candidate.channelTags}
              options={[]}
              placeholder={t("routes.form.channelTagsPlaceholder")}
              onChange={(channelTags) => onChange({ candidate: { ...form.candidate, channelTags } })}
            />
          </Field>
          <Field label={t("routes.form.regions")} htmlFor={`${id}regions`} hint={t("routes.form.regionsHint")}>
            <NameListInput
              id={`${id}regions`}
              value={form.candidate.regions}
              options={[]}
              placeholder={t("routes.form.regionsPlaceholder")}
              onChange={(regions) => onChange({ candidate: { ...form.candidate, regions } })}
            />
          </Field>
        </>
      )}
      {form.mode === "mirror" && <MirrorFields form={form} onChange={onChange} />}
    </>
  );
};

/** What copies may cost, and who judges their responses. */
const MirrorFields = ({ form, onChange }: Omit<Props, "error">) => {
  const { t } = useTranslation();
  return (
    <>
      <Row gap={3} sx={{ alignItems: "flex-start" }}>
        <LabelledInput
          label={t("experiments.form.usdPerDay")}
          value={form.usdPerDay}
          onChange={(usdPerDay) => onChange({ usdPerDay })}
        />
        <LabelledInput
          label={t("experiments.form.concurrent")}
          value={form.concurrent}
          onChange={(concurrent) => onChange({ concurrent })}
        />
      </Row>
      <ModelInput
        label={t("experiments.form.judge")}
        hint={t("experiments.form.judgeHint")}
        value={form.judge}
        onChange={(judge) => onChange({ judge })}
      />
      {form.judge.trim() !== "" && (
        <LabelledInput
          label={t("experiments.form.instructions")}
          optional={t("routes.form.optional")}
          value={form.judgeInstructions}
          onChange={(judgeInstructions) => onChange({ judgeInstructions })}
        />
      )}
    </>
  );
};
