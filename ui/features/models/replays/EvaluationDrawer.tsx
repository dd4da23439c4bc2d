import { useTranslation } from "react-i18next";
import { startEvaluation } from "../../../api/models/replays.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { ModelInput } from "../ModelInput.tsx";
import {
  checkEvaluation,
  EMPTY_EVALUATION,
  type EvaluationForm,
  evaluationOf,
  type ReplaySetView,
  replaySets,
} from "./replay-form.ts";

type Props = Readonly<{ set: ReplaySetView; onClose: () => void }>;

/** Replays a set against a target. */
export const EvaluationDrawer = ({ set, onClose }: Props) => {
  const { t } = useTranslation();
  const start = async (form: EvaluationForm) => {
    const parts = [
      form.model.trim() || t("replays.form.pricesOnly"),
      ...form.channelTags,
      ...(form.hasPrompt ? [t("replays.form.prompt")] : []),
    ];
    await startEvaluation(evaluationOf(set.id, parts.join(" · ").slice(0, 100), form));
    return undefined;
  };
  return (
    <ResourceForm
      title={t("replays.form.title", { name: set.name })}
      action={t("replays.form.start")}
      isNew
      text={(name) => `replays.form.${name}`}
      initial={EMPTY_EVALUATION}
      check={checkEvaluation}
      fault={(fault, field) => t(fault === "count" ? "replays.countError" : `replays.form.${field}Error`)}
      save={start}
      reload={[replaySets]}
      sections={(form, change, faults) => [
        {
          title: t("replays.form.target"),
          hint: t("replays.form.targetHint"),
          fields: [
            <ModelInput
              key="model"
              label={t("replays.form.model")}
              hint={t("replays.form.modelHint")}
              value={form.model}
              error={faults.model && t("replays.form.modelError")}
              onChange={(model) => change({ model })}
            />,
            {
              kind: "names",
              field: "channelTags",
              label: t("routes.form.channelTags"),
              hint: t("routes.form.channelTagsHint"),
              placeholder: t("routes.form.channelTagsPlaceholder"),
            },
            { kind: "switch", field: "hasPrompt", hint: true },
            form.hasPrompt && {
              kind: "text",
              field: "systemPrompt",
              label: t("replays.form.prompt"),
              rows: 3,
              maxRows: 12,
            },
          ],
        },
        {
          title: t("replays.form.prices"),
          hint: t("replays.form.pricesHint"),
          fields: [
            [
              { kind: "text", field: "priceInput", label: t("replays.form.input") },
              { kind: "text", field: "priceOutput", label: t("replays.form.output") },
              { kind: "text", field: "priceCached", label: t("replays.form.cached") },
            ],
          ],
        },
        {
          title: t("replays.form.judging"),
          hint: t("replays.form.judgingHint"),
          fields: [
            <ModelInput
              key="judge"
              label={t("experiments.form.judge")}
              value={form.judge}
              onChange={(judge) => change({ judge })}
            />,
            form.judge !== "" && {
              kind: "text",
              field: "instructions",
              label: t("experiments.form.instructions"),
              maxCharacters: 4_000,
            },
          ],
        },
        {
          title: t("replays.form.limits"),
          hint: t("replays.form.limitsHint"),
          fields: [
            [
              { kind: "text", field: "maxUsd" },
              { kind: "text", field: "concurrent" },
            ],
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
