import OutlinedInput from "@mui/material/OutlinedInput";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { ACCOUNT_LIMITS, displayNameError, usernameError } from "../../../../src/domain/accounts/account-rules.ts";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Col, Field } from "../../../components/layout.tsx";
import { createOrganization } from "./organization-calls.ts";
import { useSwitchAccount } from "./use-organization.ts";

/** Creates an organization, and acts for it. */
export const CreateDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const switchAccount = useSwitchAccount();
  const { body, form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial: { username: "", displayName: "" },
    check: ({ username, displayName }) => ({
      username: usernameError(username),
      displayName: displayNameError(displayName),
    }),
    rejection: "inline",
    send: async ({ username, displayName }) => {
      const created = await createOrganization(username.trim(), displayName.trim());
      notifyDone(t("organizations.create.done"));
      onClose();
      switchAccount(created);
    },
  });
  const errorOf = (field: "username" | "displayName") =>
    faults[field] && t(`organizations.errors.${faults[field]}`, ACCOUNT_LIMITS);
  return (
    <FormDialog
      title={t("organizations.create.title")}
      action={t("organizations.create.action")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        <div ref={body}>
          <Field
            label={t("organizations.create.username")}
            htmlFor={`${id}username`}
            hint={t("organizations.create.usernameHint")}
            error={errorOf("username") ?? problem}
          >
            <OutlinedInput
              id={`${id}username`}
              fullWidth
              autoFocus
              autoComplete="off"
              value={form.username}
              error={faults.username !== undefined}
              onChange={(event) => change({ username: event.target.value })}
            />
          </Field>
        </div>
        <Field
          label={t("organizations.name")}
          htmlFor={`${id}name`}
          optional={t("organizations.optional")}
          error={errorOf("displayName")}
        >
          <OutlinedInput
            id={`${id}name`}
            fullWidth
            autoComplete="off"
            value={form.displayName}
            error={faults.displayName !== undefined}
            onChange={(event) => change({ displayName: event.target.value })}
          />
        </Field>
      </Col>
    </FormDialog>
  );
};
