/**
 * The text of `recoveryWorker.ts`, in which the build replaces this module; undefined if the sources run without a build,
 * in which case no worker is started.
 */
export const RECOVERY_SCRIPT: string | undefined = undefined
