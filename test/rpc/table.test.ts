import { describe, expect, it } from 'vitest'
import type { Method } from '../../src/rpc/method.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { isDevMethod } from './devMethods.ts'

describe('method table', () => {
  it('serves exactly these cheats under the prefix of each dev chain', () => {
    const namesOf = (prefix: string) =>
      Object.keys(METHODS)
        .filter(isDevMethod)
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length))
        .sort()
    expect(namesOf('anvil_')).toMatchInlineSnapshot(`
      [
        "addBalance",
        "autoImpersonateAccount",
        "dealERC20",
        "dropAllTransactions",
        "dropTransaction",
        "dumpState",
        "getAutomine",
        "getIntervalMining",
        "impersonateAccount",
        "increaseTime",
        "loadState",
        "metadata",
        "mine",
        "nodeInfo",
        "removeBlockTimestampInterval",
        "removePoolTransactions",
        "reorg",
        "reset",
        "revert",
        "rollback",
        "setAutomine",
        "setBalance",
        "setBlockGasLimit",
        "setBlockTimestampInterval",
        "setChainId",
        "setCode",
        "setCoinbase",
        "setERC20Allowance",
        "setIntervalMining",
        "setLoggingEnabled",
        "setMinGasPrice",
        "setNextBlockBaseFeePerGas",
        "setNextBlockTimestamp",
        "setNonce",
        "setPrevRandao",
        "setRpcUrl",
        "setStorageAt",
        "setTime",
        "snapshot",
        "stopImpersonatingAccount",
      ]
    `)
    for (const prefix of ['evm_', 'ganache_', 'hardhat_']) {
      expect(namesOf(prefix)).toEqual(expect.arrayContaining(namesOf('anvil_')))
    }
  })

  it('takes a turn for exactly the methods that send transactions or change the chain', () => {
    const methods = Object.entries(METHODS as Readonly<Record<string, Method>>)
    const withoutTurn = methods.filter(([name, { turn }]) => isDevMethod(name) && turn === undefined)
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
    const others = methods.filter(([name, { turn }]) => !isDevMethod(name) && turn !== undefined)
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
