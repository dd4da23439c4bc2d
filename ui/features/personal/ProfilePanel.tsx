import Button from "@mui/material/Button";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { UserView } from "../../../src/domain/accounts/users/user-view.ts";
import { Col, Panel } from "../../components/layout.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { LabelledInput } from "../login/LabelledInput.tsx";
import { saveDisplayName, self } from "./self-calls.ts";

const LONGEST_NAME = 20;

/** What others see of me. */
export const ProfilePanel = ({ user }: { user: UserView }) => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [name, setName] = useState(user.display_name);
  const save = useMutation({
    mutationFn: () => saveDisplayName(name.trim()),
    onSuccess: async () => {
      await queries.invalidateQueries(self);
      notifyDone(t("personal.profile.done"));
    },
    onError: notifyError,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Panel title={t("personal.profile.title")}>
      <form onSubmit={submit} noValidate>
        <Col gap={3.5} sx={{ maxWidth: 400, alignItems: "stretch" }}>
          <LabelledInput
            label={t("personal.profile.name")}
            hint={t("personal.profile.hint")}
            name="display_name"
            autoComplete="nickname"
            maxCharacters={LONGEST_NAME}
            value={name}
            onChange={setName}
          />
          <Button
            type="submit"
            loading={save.isPending}
            disabled={name.trim() === user.display_name}
            sx={{ alignSelf: "flex-start" }}
          >
            {t("personal.profile.save")}
          </Button>
        </Col>
      </form>
    </Panel>
  );
};
