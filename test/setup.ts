/** Sets the seed of the run for every property of fast-check. */
import fc from 'fast-check'
import { SEED } from './full.ts'

fc.configureGlobal({ seed: SEED })
