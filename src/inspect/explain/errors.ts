/** Errors of `preseal/explain`. */
import { PresealError } from '../../base/errors.ts'

/** A folder of artifacts cannot be read. */
export class ArtifactsFolderError extends PresealError {
  override name = 'ArtifactsFolderError'
  /** @param reason - such as `ENOENT`. */
  constructor(folder: string, reason: string) {
    super(`cannot read artifacts from ${folder}: ${reason}`)
  }
}
