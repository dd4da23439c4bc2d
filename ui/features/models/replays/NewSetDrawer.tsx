import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { createSet } from "../../../api/models/replays.ts";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { ModelInput } from "../ModelInput.tsx";
import { checkSet, emptySet, PERIODS, replaySets, type SetForm, setOf } from "./replay-form.ts";

/** Sets requests of the log aside. */
export const NewSetDrawer = ({ onClose }: Readonly<{ onClose: () => void }>) => {
  const { t } = useTranslation();
  const any = t("replays.set.any");
  return (
    <ResourceForm<SetForm>
      title={t("replays.set.create")}
      action={t("replays.set.create")}
      isNew
      text={(name) => `replays.set.${name}`}
      initial={emptySet(t("replays.set.defaultName"))}
      check={checkSet}
      fault={(fault) => t(fault === "name" ? "replays.set.nameError" : "replays.countError")}
      save={async (form) => {
        await createSet(setOf(form, Math.floor(Date.now() / 1000)));
        return t("replays.set.createdToast", { name: form.name });
      }}
      reload={[replaySets]}
      sections={({ model }, change) => [
        {
          fields: [
            <Box key="hint" sx={{ fontSize: 13, color: "text.secondary" }}>
              {t("replays.set.hint")}
            </Box>,
            { kind: "text", field: "name" },
            [
              {
                kind: "select",
                field: "days",
                label: t("replays.set.period"),
                options: optionsOf(PERIODS, (count) => t("replays.set.days", { count })),
              },
              { kind: "text", field: "maxCalls" },
            ],
            <ModelInput
              key="model"
              label={t("replays.set.model")}
              hint={any}
              value={model}
              onChange={(name) => change({ model: name })}
            />,
            [
              { kind: "text", field: "username", hint: any },
              { kind: "text", field: "tokenName", hint: any },
            ],
            { kind: "text", field: "session", hint: any },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
