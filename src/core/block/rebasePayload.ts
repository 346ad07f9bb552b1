import type { StateReader } from '../../ethereum/state/account.ts'
import { changesSince, isUnchanged, Layer } from '../../ethereum/state/layer.ts'
import type { Payload, PayloadParent } from './payload.ts'

/** The same payload over an equal state: the version that its parent's layers were committed to. */
export function rebasePayload(payload: Payload, parent: PayloadParent): Payload {
  const { base } = payload
  const rebase = (top: StateReader, below: StateReader, onto: StateReader): StateReader => {
    const changes = changesSince(top, below)
    return isUnchanged(changes) ? onto : new Layer(onto, changes)
  }
  const layer = rebase(base.layer, base.parent.state, parent.state)
  const state = rebase(payload.state, base.layer, layer)
  return { ...payload, state, base: { ...base, parent, layer } }
}
