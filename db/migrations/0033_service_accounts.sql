CREATE TABLE "service_accounts" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"rights" text[] NOT NULL,
	"token_hash" text,
	"token_end" text NOT NULL,
	"created_by" integer,
	"created_at" bigint NOT NULL,
	"expires_at" bigint,
	"last_used_at" bigint
);
--> statement-breakpoint
ALTER TABLE "users" DROP CONSTRAINT "users_kind_known";--> statement-breakpoint
ALTER TABLE "service_accounts" ADD CONSTRAINT "service_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_accounts" ADD CONSTRAINT "service_accounts_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "service_accounts_token_hash_key" ON "service_accounts" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "service_accounts_created_by_idx" ON "service_accounts" USING btree ("created_by");--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_kind_known" CHECK ("users"."kind" in ('person', 'organization', 'service'));