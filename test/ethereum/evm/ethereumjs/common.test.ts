import { createCommonFromGethGenesis } from '@ethereumjs/common'
import { paramsTx } from '@ethereumjs/tx'
import { describe, expect, it } from 'vitest'
import { loadCrypto } from '../../../../src/base/crypto/crypto.ts'
import { commonOf } from '../../../../src/ethereum/evm/ethereumjs/common.ts'
import { createChainRules, hardforkConfig } from '../../../../src/ethereum/rules.ts'

const crypto = await loadCrypto()
const genesis = { config: hardforkConfig(1, 'prague'), alloc: {}, gasLimit: '0x1c9c380' }

describe('the Common of some rules', () => {
  const common = () => commonOf(createChainRules(genesis).at(0n, 0n), crypto)

  it('cannot be changed', () => {
    const shared = common()
    const before = shared.param('txGas')
    expect(shared.copy()).toBe(shared)
    shared.updateParams({ 1: { txGas: 1 } })
    expect(shared.param('txGas')).toBe(before)
    shared.setHardfork('prague')
    expect(() => shared.setHardfork('paris')).toThrow(new TypeError('these are the rules of prague'))
  })

  it('keeps no listener for a change of hardfork', () => {
    const { events } = common()
    events.on('hardforkChanged', () => {})
    expect(events.listenerCount('hardforkChanged')).toBe(0)
  })

  it('has the EIPs and parameters of a stock one', () => {
    const shared = common()
    const fields = { difficulty: '0x0', nonce: '0x0', extraData: '0x', timestamp: '0x0' }
    const stock = createCommonFromGethGenesis({ ...fields, ...genesis } as never, { chain: 'stock' })
    stock.setHardfork('prague')
    stock.updateParams(paramsTx)
    for (let eip = 0; eip < 10_000; eip++) {
      if (shared.isActivatedEIP(eip) !== stock.isActivatedEIP(eip)) expect(eip).toBe('the same in both')
    }
    for (const name of Object.keys(paramsTx[1]!))
      expect([name, shared.param(name)]).toEqual([name, stock.param(name)])
    expect(() => shared.param('noSuchParameter')).toThrow()
  })
})
