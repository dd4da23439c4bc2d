CREATE TABLE "stored_responses" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"channel_id" integer NOT NULL,
	"is_native" boolean NOT NULL,
	"turns" text DEFAULT '[]' NOT NULL,
	"body" text DEFAULT '{}' NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "stored_responses" ADD CONSTRAINT "stored_responses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "stored_responses_expires_idx" ON "stored_responses" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "stored_responses_user_idx" ON "stored_responses" USING btree ("user_id");