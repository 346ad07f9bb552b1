import { describe, expect, it } from 'vitest'
import { READERS } from '../../src/rpc/fork/forwarding.ts'
import { blockHash, blockParameter, blockPosition } from '../../src/rpc/params/block.ts'
import { hash32 } from '../../src/rpc/params/params.ts'
import { METHODS, methods } from '../../src/rpc/table.ts'
import { isDevMethod } from './devMethods.ts'
import { METHOD_NAMES } from './exampleParams.ts'

describe('method table', () => {
  it('serves each cheat of anvil under the prefix of every dev chain', () => {
    const namesOf = (prefix: string) =>
      Object.keys(METHODS)
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length))
    expect(namesOf('anvil_')).toContain('setBalance')
    for (const prefix of ['evm_', 'ganache_', 'hardhat_']) {
      expect(namesOf(prefix)).toEqual(expect.arrayContaining(namesOf('anvil_')))
    }
  })

  it('keeps from everybody what is private by its prefix, and exactly these besides', () => {
    const isPrivate = (name: string) => /^(debug|testing|trace|txpool)_/.test(name)
    const others = [...methods].filter(([name, { class: kind }]) => (kind === 'debug') !== isPrivate(name))
    expect(others.map(([name]) => name)).toEqual([
      'eth_pendingTransactions',
      'ots_getContractCreator',
      'ots_getInternalOperations',
      'ots_getTransactionError',
      'ots_searchTransactionsAfter',
      'ots_searchTransactionsBefore',
      'ots_traceTransaction',
    ])
    const cheats = [...methods].filter(([, { class: kind }]) => kind === 'cheat').map(([name]) => name)
    expect(cheats.filter((name) => !isDevMethod(name))).toEqual(['eth_sendUnsignedTransaction'])
  })

  it('has a reader for exactly the methods that name one on a fork', () => {
    const naming = METHOD_NAMES.filter((name) => {
      const { onFork = 'local' } = methods.get(name)!
      return onFork !== 'local' && onFork.answer === 'reader'
    })
    expect(Object.keys(READERS).sort()).toEqual([...naming].sort())
  })

  it('names, with what a method reads on a fork, the one parameter that has it', () => {
    const blocks = [blockParameter, blockPosition, blockHash].map(({ expected }) => expected)
    const unclear = [...methods].filter(([, { onFork, params }]) => {
      if (typeof onFork !== 'object' || onFork.answer === 'reader') return false
      if (onFork.reads === 'transaction') return params[0]?.expected !== hash32.expected
      return params.filter(({ expected }) => blocks.includes(expected)).length !== 1
    })
    expect(unclear.map(([name]) => name)).toEqual([])
  })

  it('takes a turn for exactly the methods that send transactions or change the chain', () => {
    const withoutTurn = [...methods].filter(([name, { turn }]) => isDevMethod(name) && turn === undefined)
    const names = new Set(withoutTurn.map(([name]) => name.slice(name.indexOf('_') + 1)))
    expect([...names].sort()).toEqual([
      'dumpState',
      'getAutomine',
      'getIntervalMining',
      'metadata',
      'nodeInfo',
      'setLoggingEnabled',
      // Reads the same block from another node, perhaps because requests wait for the one before.
      'setRpcUrl',
    ])
    const others = [...methods].filter(([name, { turn }]) => !isDevMethod(name) && turn !== undefined)
    expect(others.map(([name, { turn }]) => `${name}: ${turn}`).sort()).toEqual([
      'eth_sendRawTransaction: raw',
      'eth_sendRawTransactionSync: raw',
      'eth_sendTransaction: send',
      'eth_sendTransactionSync: send',
      'eth_sendUnsignedTransaction: send',
      'wallet_sendCalls: send',
    ])
  })
})
