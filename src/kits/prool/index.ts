/** preseal/prool: an instance definition for prool, which pools and proxies nodes for test suites. */

export type {
  InstanceEndpoint,
  InstanceEvent,
  InstanceOptions,
  InstanceParameters,
  InstanceStatus,
  PoolInstance,
  PresealInstance,
} from './instance.ts'
export { preseal } from './instance.ts'
