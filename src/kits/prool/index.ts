/** preseal/prool: an instance definition for prool, which pools and proxies the nodes of test suites. */

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
