// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Ownable} from './openzeppelin/access/Ownable.sol';
import {ERC20} from './openzeppelin/token/ERC20/ERC20.sol';
import {Pausable} from './openzeppelin/utils/Pausable.sol';
import {Owned} from './solmate/auth/Owned.sol';
import {WETH} from './solmate/tokens/WETH.sol';
import {FixedPointMathLib} from './solmate/utils/FixedPointMathLib.sol';

/// OpenZeppelin's token, which its owner can stop.
contract StoppableToken is ERC20, Ownable, Pausable {
    constructor(uint256 supply) ERC20('Stoppable', 'STOP') Ownable(msg.sender) {
        _mint(msg.sender, supply);
    }

    function stop(bool stopped) external onlyOwner {
        if (stopped) _pause();
        else _unpause();
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }

    function _update(address from, address to, uint256 value) internal override whenNotPaused {
        super._update(from, to, value);
    }
}

/// Solmate's wrapped ether, with a fee for its owner.
contract OwnedWETH is WETH, Owned(msg.sender) {
    uint256 public fee;

    function setFee(uint256 to) external onlyOwner {
        fee = to;
    }

    /// For an amount, in ether: pure.
    function feeOf(uint256 amount, uint256 rate) external pure returns (uint256) {
        return FixedPointMathLib.mulWadUp(amount, rate);
    }

    function root(uint256 square) external pure returns (uint256) {
        return FixedPointMathLib.sqrt(square);
    }
}
