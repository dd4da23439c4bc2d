import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Switch from "@mui/material/Switch";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ACCOUNT_LIMITS } from "../../../../src/domain/accounts/account-rules.ts";
import type { UserView } from "../../../../src/domain/accounts/users/user-view.ts";
import { readSetting, saveDisplayName, saveSetting, self } from "../../../api/accounts/self-calls.ts";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col, Panel, Row } from "../../../components/layout.tsx";

/** The display name. */
export const ProfilePanel = ({ user }: { user: UserView }) => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [name, setName] = useState(user.display_name);
  const save = useMutation({
    mutationFn: () => saveDisplayName(name.trim()),
    onSuccess: async () => {
      await queries.invalidateQueries(self);
      notifyDone(t("profile.profile.done"));
    },
    onError: notifyError,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Panel title={t("profile.profile.title")}>
      <form onSubmit={submit} noValidate>
        <Col gap={3.5} sx={{ maxWidth: 400, alignItems: "stretch" }}>
          <LabelledInput
            label={t("profile.profile.name")}
            hint={t("profile.profile.hint")}
            name="display_name"
            autoComplete="nickname"
            maxCharacters={ACCOUNT_LIMITS.displayName}
            value={name}
            onChange={setName}
          />
          <Button
            type="submit"
            loading={save.isPending}
            disabled={name.trim() === user.display_name}
            sx={{ alignSelf: "flex-start" }}
          >
            {t("profile.profile.save")}
          </Button>
        </Col>
      </form>
    </Panel>
  );
};

/** Whether models without a price may be called at the default one. */
export const PricePanel = ({ user }: { user: UserView }) => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const id = useId();
  const save = useMutation({
    mutationFn: (accept: boolean) => saveSetting({ accept_unset_model_ratio_model: accept }),
    onSuccess: () => notifyDone(t("profile.prices.done")),
    onError: notifyError,
    onSettled: () => queries.invalidateQueries(self),
  });
  const isAccepted = save.isPending ? save.variables : readSetting(user).accept_unset_model_ratio_model === true;
  return (
    <Panel title={t("profile.prices.title")}>
      <Row gap={4} sx={{ alignItems: "flex-start" }}>
        <Box sx={{ flex: 1 }}>
          <Box component="label" htmlFor={id} sx={{ fontSize: 13, fontWeight: 550 }}>
            {t("profile.prices.accept")}
          </Box>
          <Box id={`${id}hint`} sx={{ maxWidth: 560, mt: 1, fontSize: 12, color: "text.secondary" }}>
            {t("profile.prices.hint")}
          </Box>
        </Box>
        <Switch
          id={id}
          checked={isAccepted}
          onChange={(_, accept) => save.mutate(accept)}
          slotProps={{ input: { "aria-describedby": `${id}hint` } }}
        />
      </Row>
    </Panel>
  );
};
