import OutlinedInput from "@mui/material/OutlinedInput";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { Organization } from "../../../../api/accounts/organization-calls.ts";
import {
  createProject,
  deleteProject,
  type Project,
  projects,
  renameProject,
} from "../../../../api/accounts/spending-calls.ts";
import { useActing } from "../../../../api/accounts/use-organization.ts";
import { Money } from "../../../../components/display/Money.tsx";
import { FormDialog } from "../../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../../components/form/use-checked-form.ts";
import { Field } from "../../../../components/layout.tsx";
import { ResourcePanel } from "../ResourcePanel.tsx";

/** The projects that group the organization's keys. */
export const ProjectsPanel = ({ organization: { id } }: { organization: Organization }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { may } = useActing();
  const { data, error, refetch } = useQuery(projects(id));
  return (
    <ResourcePanel
      text={(name) => `organizations.projects.${name}`}
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      isManager={may("projects.manage")}
      change={t("organizations.projects.rename")}
      skeletonHeight={40}
      heading={({ name }) => name}
      body={(project) => (
        <>
          {t("organizations.projects.keys", { count: project.keys })} · {t("organizations.projects.used")}{" "}
          <Money quota={project.used_quota} />
        </>
      )}
      remove={(project) => deleteProject(id, project)}
      reload={() => client.invalidateQueries({ queryKey: ["organization", id] })}
      dialog={(project, onClose) => <ProjectDialog id={id} project={project} onClose={onClose} />}
    />
  );
};

type DialogProps = { id: number; project: Project | null; onClose: () => void };

const ProjectDialog = ({ id, project, onClose }: DialogProps) => {
  const { t } = useTranslation();
  const field = useId();
  const client = useQueryClient();
  const { form, change, problem, isSaving, submit } = useCheckedForm({
    initial: { name: project?.name ?? "" },
    rejection: "inline",
    send: async ({ name }) => {
      await (project ? renameProject(id, project.id, name) : createProject(id, name));
      await client.invalidateQueries({ queryKey: ["organization", id] });
      notifyDone(t("organizations.projects.saved", { name: name.trim() }));
      onClose();
    },
  });
  return (
    <FormDialog
      title={project ? t("organizations.projects.renameTitle") : t("organizations.projects.create")}
      action={t(project ? "organizations.projects.save" : "organizations.projects.create")}
      isBusy={isSaving}
      isDisabled={form.name.trim() === ""}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label={t("organizations.name")} htmlFor={field} error={problem}>
        <OutlinedInput
          id={field}
          fullWidth
          autoFocus
          autoComplete="off"
          value={form.name}
          error={problem !== null}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
    </FormDialog>
  );
};
