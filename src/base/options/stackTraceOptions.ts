/** The option of Solidity stack traces. */
import { scalar } from '../schema.ts'
import { option } from './option.ts'

/** The build info of Solidity stack traces: a folder, or a list of build infos. */
export type StackTraceSource = string | readonly object[]

/** The schema of the option; `false` is as if it is not given. */
const stackTraces = scalar<StackTraceSource | false, StackTraceSource | false>(
  "a folder such as 'artifacts', a list of build infos, or false",
  (value) => {
    if (value === false || (typeof value === 'string' && value !== '')) return value as string | false
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null)
    return isList ? value : undefined
  },
)

/** Whether there are Solidity stack traces. */
export const STACK_TRACE_OPTIONS = {
  /**
   * Build info for Solidity stack traces on the errors of failed calls, estimates and sends: the folder that Hardhat
   * (`'artifacts'`) or Foundry (`'out'`) writes it to, which needs Node, or a list of build infos. By default there are no such
   * traces.
   */
  stackTraces: option(stackTraces, {
    flag: {
      value: 'DIR',
      help: 'show lines of Solidity in errors, with the build info of this folder',
      default: 'none',
    },
  }),
}
