import Box from "@mui/material/Box";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col, Field, Row } from "../../../components/layout.tsx";
import { ModelInput } from "../ModelInput.tsx";
import { checkSet, createSet, emptySet, PERIODS, replaySets, type SetForm, setOf } from "./replay-form.ts";

/** Sets requests of the log aside. */
export const NewSetDrawer = ({ onClose }: Readonly<{ onClose: () => void }>) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const state = useCheckedForm({
    initial: emptySet(t("replays.set.defaultName")),
    check: (values: SetForm) => checkSet(values),
    send: async (values) => {
      await createSet(setOf(values, Math.floor(Date.now() / 1000)));
      notifyDone(t("replays.set.createdToast", { name: values.name }));
      void client.invalidateQueries(replaySets);
      onClose();
    },
  });
  const { form, change, faults } = state;
  return (
    <FormDrawer state={state} title={t("replays.set.create")} action={t("replays.set.create")} isNew onClose={onClose}>
      <Col gap={4}>
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("replays.set.hint")}</Box>
        <LabelledInput
          label={t("replays.set.name")}
          value={form.name}
          error={faults.name && t("replays.set.nameError")}
          onChange={(name) => change({ name })}
        />
        <Row gap={3} sx={{ alignItems: "flex-start" }}>
          <Field label={t("replays.set.period")}>
            <Select
              fullWidth
              value={form.days}
              SelectDisplayProps={{ "aria-label": t("replays.set.period") }}
              onChange={(event) => change({ days: Number(event.target.value) })}
            >
              {PERIODS.map((days) => (
                <MenuItem key={days} value={days}>
                  {t("replays.set.days", { count: days })}
                </MenuItem>
              ))}
            </Select>
          </Field>
          <LabelledInput
            label={t("replays.set.maxCalls")}
            value={form.maxCalls}
            error={faults.maxCalls && t("replays.countError")}
            onChange={(maxCalls) => change({ maxCalls })}
          />
        </Row>
        <ModelInput
          label={t("replays.set.model")}
          hint={t("replays.set.any")}
          value={form.model}
          onChange={(model) => change({ model })}
        />
        <Row gap={3} sx={{ alignItems: "flex-start" }}>
          <LabelledInput
            label={t("replays.set.username")}
            hint={t("replays.set.any")}
            value={form.username}
            onChange={(username) => change({ username })}
          />
          <LabelledInput
            label={t("replays.set.tokenName")}
            hint={t("replays.set.any")}
            value={form.tokenName}
            onChange={(tokenName) => change({ tokenName })}
          />
        </Row>
        <LabelledInput
          label={t("replays.set.session")}
          hint={t("replays.set.any")}
          value={form.session}
          onChange={(session) => change({ session })}
        />
      </Col>
    </FormDrawer>
  );
};
